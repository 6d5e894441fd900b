-- Texts that are not ours, such as a page's title, stay as they were published and may name a suppressed person. What
-- people are shown of them goes through engine.masked: every grid, row page, search and export, and why and history of a row.

-- The digits of a number without the zeros that lead out of a town or a country.
create or replace function engine.plain_digits(written text) returns text
language sql immutable parallel safe
return ltrim(regexp_replace(replace(written, '(0)', ''), '[^0-9]', '', 'g'), '0');

drop function if exists engine.suppressed_parts(text);
drop function if exists engine.is_suppressed_writing(text);
drop function if exists engine.listed_digits(text);
drop function if exists engine.suppressed_numbers(text, text[]);

-- How many digits the shortest listed number has that ends as this writing does; null if none does. Fewer than seven digits
-- are nobody's number. Asked of the list, or of the numbers that are given.
create or replace function engine.listed_digits(written text, among text[]) returns integer
language plpgsql stable as $$
declare
    ending text := reverse(engine.plain_digits(written));
begin
    if ending is null or length(ending) < 7 then
        return null;
    elsif among is not null then
        return (select min(length(value) - 1) from unnest(among) as value where starts_with(reverse(ltrim(value, '+')), ending));
    end if;
    return (
        select min(length(value) - 1) from public.suppressions
        where kind = 'phone' and reverse(ltrim(value, '+')) >= ending
          and reverse(ltrim(value, '+')) < ending || 'a'); -- in every collation digits come before letters
end
$$;

create or replace function engine.is_own_number(written text, own text[]) returns boolean
language sql immutable parallel safe
return exists (select 1 from unnest(own) as number
               where right(ltrim(number, '+'), length(engine.plain_digits(written))) = engine.plain_digits(written));

-- The listed addresses of a text, as they are written there. A place that can be read as one's own address names nobody else.
create or replace function engine.suppressed_addresses(given text, own text[]) returns setof text
language plpgsql stable as $$
begin
    return query
    with readings as materialized (select * from engine.written_addresses(given))
    select distinct on (reading.place) reading.written from readings as reading
    where engine.is_suppressed_address(reading.address)
      and not exists (select 1 from readings as mine where mine.place = reading.place and mine.address = any(own))
    order by reading.place, length(reading.written) desc;
end
$$;

-- The listed numbers of a text. Other digits may stand beside them, so every group of digits may begin or end a number. What is only
-- a part of a row of digits must have all digits of a listed number but its country's, three at most: the end of a number is
-- another's end too. A number has at most 18 groups and 90 characters, so the time grows with the text.
create or replace function engine.suppressed_numbers(given text, own text[], among text[]) returns setof text
language plpgsql stable as $$
declare
    token text;
    between text := '';
    starts text[] := '{}'; -- the writings that end with the last group, the shortest first
    whole text := ''; -- the row of groups so far, null when it is too long for a number
    written text;
    digits integer;
    found text;
begin
    for token in
        select match[1] from regexp_matches(given || '.....', '[0-9]+|[^0-9]+', 'g') as match
    loop
        if token !~ '^[0-9]' then
            between := token;
            if token !~ '^[-\s()./\u00a0\u00b7\u2007-\u2013\u202f\u2212]{1,4}$' then
                if engine.listed_digits(whole, among) is not null and not engine.is_own_number(whole, own) then
                    return next whole;
                end if;
                starts := '{}';
                whole := '';
            end if;
            continue;
        end if;
        written := substring(right(between, 2) from '[+(]*$') || token;
        whole := case when whole = '' then written else whole || between || token end;
        starts := (array[written] || array(select one || between || token from unnest(starts) as one
                                           where length(one || between || token) <= 90))[1:18];
        if length(whole) > 90 then
            whole := null;
        end if;
        found := null;
        foreach written in array starts loop
            continue when length(written) < 7 or length(engine.plain_digits(written)) < 7;
            digits := engine.listed_digits(written, among);
            exit when digits is null; -- then no longer one ends so either
            if length(engine.plain_digits(written)) >= digits - 3 and not engine.is_own_number(written, own) then
                found := written;
            end if;
        end loop;
        if found is not null then
            return next found;
        end if;
    end loop;
end
$$;

-- Those addresses and numbers of a text that are on the list, as they are written there, and are none of a person's own. Most
-- texts have neither.
create or replace function engine.suppressed_parts(given text, own text[]) returns setof text
language plpgsql stable as $$
begin
    return query select distinct part from engine.suppressed_addresses(given, own) as part;
    if given ~ '[0-9].{0,4}[0-9].{0,4}[0-9].{0,4}[0-9].{0,4}[0-9].{0,4}[0-9].{0,4}[0-9]'
       and exists (select 1 from public.suppressions where kind = 'phone') then
        return query select distinct part from engine.suppressed_numbers(given, own, null) as part;
    end if;
end
$$;

-- Whether the words around a contact name another person who is listed. Its own address and numbers are not asked for.
create or replace function engine.names_another(context text, email text, phone_number text, fax_number text) returns boolean
language plpgsql stable as $$
begin
    return context is not null and exists (select 1 from public.suppressions)
        and exists (select 1 from engine.suppressed_parts(
            context, array_remove(array[engine.ascii_address(email), phone_number, fax_number], null)));
end
$$;

create or replace function engine.mentions_suppressed(given text) returns boolean
language plpgsql stable as $$
begin
    return given is not null and exists (select 1 from public.suppressions)
        and exists (select 1 from engine.suppressed_parts(given, '{}'));
end
$$;

create or replace function engine.masked(given text) returns text
language plpgsql stable as $$
declare
    part text;
begin
    if given is not null and exists (select 1 from public.suppressions) then
        for part in select one from engine.suppressed_parts(given, '{}') as one order by length(one) desc loop
            given := replace(given, part, '[suppressed]');
        end loop;
    end if;
    return given;
end
$$;
