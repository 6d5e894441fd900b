-- Errors of many rows as a person groups them: what differs from row to row is folded away.
-- Applied again whenever its part of the engine changed (db/engine_schema.py), so each statement must be harmless the second time.

-- Web addresses, mail addresses, ids, IP addresses, hosts and numbers become signs; the count of attempts goes.
-- What an HTTP server answered (404, 503) is no such number, and robots.txt no host. Texts from the web may be long.
-- Rows without an error are a group too.
create or replace function engine.folded(error text) returns text
language sql immutable parallel safe
return regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
    regexp_replace(left(regexp_replace(coalesce(error, 'no error was recorded'), '\s*\(attempt \d+ of \d+\)$', ''), 600), '\s+', ' ', 'g'),
    '\m[a-z][a-z0-9+.-]{1,9}://[^\s''"<>()]*[^\s''"<>():.,;]', '<url>', 'gi'),
    '[^\s''"<>()@:]+@[a-z0-9.-]+[a-z0-9]', '<email>', 'gi'),
    '\m[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\M|\m(?=[0-9a-f]*\d)[0-9a-f]{8,}\M|\m(?=\w*\d)\w{16,}\M',
    '<id>', 'gi'),
    '\m\d{1,3}(?:\.\d{1,3}){3}\M|\m[0-9a-f]{1,4}(?::[0-9a-f]{0,4}){3,8}(?:\.\d+)*', '<address>', 'gi'),
    '\m(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)+(?!(?:txt|xml|html?|php|json|gz|py)\M)[a-z][a-z0-9-]+\M(?::\d+)?',
    '<host>', 'gi'),
    '(?!(?<=: |answered |HTTP |status )[45]\d\d\M)\m\d+(?:[.,:/-]\d+)*', '#', 'g'),
    '#(?: #)+', '#', 'g');
