-- The e-mail addresses that a person can read in a text, in every spelling that actors/parse/obfuscation.py knows and some
-- more: "jane [at] kontor-nord [dot] de", "jane at kontor-nord.de", "jane%40kontor-nord%2Ede", "/jane@kontor-nord.de.vcf".
-- A test holds the words of both together. No list is asked, so the readings can be joined with any.

-- What may be the name before a sign, or the host behind it: punctuation, "%20" and the ending of a file may belong to it or not.
create or replace function engine.name_readings(written text) returns setof text
language sql immutable parallel safe
begin atomic
    select distinct part
    from unnest(array[written, substring(written from '[^]!#$*^`|~\u2100-\u2bff]*$'),
                      regexp_replace(written, '^(?:.*(?:%[0-9a-fA-F]{2}|[]!#$*^`|~\u2100-\u2bff]))?[-._%+]*', '')]) as part
    where part <> '';
end;

create or replace function engine.host_readings(written text) returns setof text
language sql immutable parallel safe
begin atomic
    select distinct part
    from unnest(array[rtrim(written, '.'), rtrim(substring(written from '^[^]!#$*+^`|~_\u2100-\u2bff]*'), '.-'),
                      regexp_replace(rtrim(written, '.'),
                                     '(?:\.(?:xml|gz|vcf|vcard|x?html?|php|aspx?|jsp|cgi|pdf|txt|json|csv|xlsx?|docx?|pptx?|odt|rtf|ics|eml|msg|zip|'
                                     'rar|tar|bz2|jpe?g|png|gif|webp|svg|avif|bmp|ico|css|js|rss|atom))+$', '', 'i')]) as part
    where part <> '';
end;

-- One row for each reading; those of one place in the text exclude each other. The time grows with the text.
create or replace function engine.written_addresses(given text)
returns table (place integer, written text, address text)
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
    invisible constant text := '[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]';
    around constant text := '\s<>()\[\]{}"'',;:/\\?&=@\u00a0-\u00ac\u00ae-\u00bf\u2000-\u200a\u2010-\u2029\u202f-\u205f';
    name constant text := '[^' || around || '\u3000-\u303f\ufe6b\uff01-\uff20]+';
    label constant text := '[^' || around || '%\ufe6b\uff01-\uff0d\uff20]+';
    opening constant text := '\s?[\[({<«*_|~]{1,2}\s?';
    closing constant text := '\s?[\])}>»*_|~]{1,2}\s?';
    -- Apart, because the name of a mailbox may have one of the later ones in it.
    signs constant text[] := array[
        '\s{0,2}(?:[@\uff20\ufe6b]|%40|&#0*64;|&#x0*40;|&commat;|\\u0040)\s{0,2}',
        opening || '(?:@|at|ät|aet|et|ad|a|arroba|arobase|arrobase|chiocciola|apenstaartje|apestaart|kukac|małpa|malpa|zavináč|zavinac|'
            'snabel-?a|собака|собачка|at sign|klammeraffe|アット|アットマーク|골뱅이)' || closing,
        '\s(?:at|arroba|chiocciola)\s|\s?[-_]at[-_]\s?'];
    dot constant text := '(?:' || opening || '(?:\.|dot|punkt|punto|point|ponto|prick|kropka|tečka|tecka|bodka|piste|pont|точка|nokta)'
        || closing || '|\s(?:dot|punkt|punto|ponto)\s|%2e|&#0*46;|&#x0*2e;|&period;)';
    spaced_dot constant text := '(?:' || dot || '|\s\.\s?|\.\s)';
    -- "infoNOSPAM@…" asks to be read without it.
    filler constant text := '[._-]?(?:NO[._-]?SPAM|REMOVE[._-]?(?:THIS|ME)|DELETE[._-]?(?:THIS|ME))(?:[._-](?=[^@]|$))?';
    with_dots constant boolean := given ~* dot or given ~ '\s\.|\.\s';
    plain constant boolean := given !~ filler and given !~ invisible;
    dotted boolean;
    sign text;
    here text;
    following text;
    before text;
    between text;
    local text;
    host text;
begin
    place := 0;
    foreach sign in array signs loop
        continue when given !~* sign;
        before := null;
        for here, following in
            select * from unnest(regexp_split_to_array(given, sign, 'i'),
                                 array(select match[1] from regexp_matches(given, '(' || sign || ')', 'gi') as match))
        loop
            place := place + 1;
            local := substring(before from name || '$');
            host := substring(here from '^' || label);
            dotted := with_dots and (left(here, 300) ~* ('^' || label || spaced_dot || label) or right(before, 200) ~* (dot || name || '$'));
            if local is null or host is null then
                null;
            elsif plain and not dotted and local ~ '^[a-zA-Z0-9.-]*$'
                  and host ~ '^(?:[a-zA-Z0-9]+|(?:[a-zA-Z0-9-]+\.)+(?:(?!gz|js)[a-z]{2}|com|net|org|info|biz|example))$' then
                -- As almost all are written: there is one reading, or, behind hyphens and dots, two.
                if sign = signs[1] or position('.' in host) > 0 then
                    return query select written_addresses.place, part || between || host, lower(part || '@' || host)
                    from (select local as part union select ltrim(local, '.-')) as parts where part <> '';
                end if;
            else
                return query
                select written_addresses.place, locals.part || between || hosts.part, engine.ascii_address(read.local || '@' || read.host)
                from (select local as whole
                      union select substring(right(before, 200) from '(?i)(?:' || name || dot || '){1,3}' || name || '$') where dotted) as names
                cross join lateral engine.name_readings(names.whole) as locals (part)
                cross join lateral (
                    select host as whole
                    union select substring(left(here, 300) from format('(?i)^%s(?:%s%s){%s}', label, spaced_dot, label, dots))
                    from generate_series(1, 4) as dots where dotted) as wholes
                cross join lateral engine.host_readings(wholes.whole) as hosts (part)
                cross join lateral (
                    select regexp_replace(regexp_replace(locals.part, invisible, '', 'g'), dot, '.', 'gi') as local,
                           regexp_replace(regexp_replace(hosts.part, invisible, '', 'g'), spaced_dot, '.', 'gi') as host) as seen
                cross join lateral (
                    select seen.local, seen.host
                    union select regexp_replace(seen.local, filler, '', 'g'), regexp_replace(seen.host, filler, '', 'g')) as read
                -- A word between two words is a sign only before a host.
                where read.local <> '' and read.host <> '' and (sign = signs[1] or read.host ~ '[.。．｡]');
            end if;
            before := here;
            between := following;
        end loop;
    end loop;
end
$$;
