-- A host name in the one spelling that is compared: lower case, ASCII, without the final dot (bücher.example is
-- xn--bcher-kva.example). Postgres has no function for that.

-- RFC 3492: a label with other letters than ASCII becomes xn--, its ASCII letters, and where the others go.
create or replace function engine.punycode(label text) returns text
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
declare
    points bigint[] := array(select ascii(letter)::bigint from regexp_split_to_table(label, '') as letter);
    basic text := array_to_string(array(select chr(point::integer) from unnest(points) as point where point < 128), '');
    written text := basic || case when basic = '' then '' else '-' end;
    handled integer := length(basic);
    next_point bigint := 128;
    delta bigint := 0;
    bias integer := 72;
    point bigint;
    rest bigint;
    step integer;
    threshold integer;
begin
    while handled < cardinality(points) loop
        select min(one) into point from unnest(points) as one where one >= next_point;
        delta := delta + (point - next_point) * (handled + 1);
        next_point := point;
        foreach point in array points loop
            if point < next_point then
                delta := delta + 1;
            elsif point = next_point then
                rest := delta;
                step := 36;
                loop
                    threshold := greatest(1, least(26, step - bias));
                    exit when rest < threshold;
                    written := written || substr('abcdefghijklmnopqrstuvwxyz0123456789',
                                                 (threshold + (rest - threshold) % (36 - threshold))::integer + 1, 1);
                    rest := (rest - threshold) / (36 - threshold);
                    step := step + 36;
                end loop;
                written := written || substr('abcdefghijklmnopqrstuvwxyz0123456789', rest::integer + 1, 1);
                delta := delta / case when handled = length(basic) then 700 else 2 end;
                handled := handled + 1;
                delta := delta + delta / handled;
                step := 0;
                while delta > 455 loop
                    delta := delta / 35;
                    step := step + 36;
                end loop;
                bias := step + (36 * delta / (delta + 38))::integer;
                delta := 0;
            end if;
        end loop;
        delta := delta + 1;
        next_point := next_point + 1;
    end loop;
    return 'xn--' || written;
end
$$;

-- A database may have been made with a collation that knows no capitals but ASCII; the first of these that the server has
-- knows them all.
create or replace function engine.lower_case(given text) returns text
language plpgsql stable strict parallel safe set search_path = pg_catalog, pg_temp as $$
declare
    folding text := (
        select collname from pg_collation
        where collname in ('pg_c_utf8', 'und-x-icu', 'C.utf8', 'en_US.utf8') and collencoding in (-1, pg_char_to_encoding('UTF8'))
        order by array_position(array['pg_c_utf8', 'und-x-icu', 'C.utf8', 'en_US.utf8'], collname::text)
        limit 1);
    lowered text := lower(given);
begin
    if folding is not null then
        execute format('select lower($1 collate %I)', folding) into lowered using given;
    end if;
    return lowered;
end
$$;

-- As UTS 46 maps it, for all but the rarest letters. (The Turkish capital I with a dot is lowered in two ways by servers.)
create or replace function engine.idna(host text) returns text
language sql stable strict parallel safe
begin atomic
    select string_agg(case when octet_length(label) = length(label) then label else engine.punycode(label) end, '.'
                      order by place)
    from string_to_table(normalize(engine.lower_case(replace(normalize(translate(host, '。．｡', '...'), nfkc), 'İ', U&'i\0307')), nfkc), '.')
         with ordinality as labels (label, place);
end;

-- Most hosts are ASCII already, and cost next to nothing.
create or replace function engine.ascii_host(host text) returns text
language sql stable parallel safe
return rtrim(case when octet_length(host) = length(host) then lower(host) else engine.idna(host) end, '.');

create or replace function engine.ascii_address(address text) returns text
language sql stable parallel safe
return case when octet_length(address) = length(address) then rtrim(lower(address), '.')
            else engine.lower_case(regexp_replace(address, '@[^@]*$', '')) || '@'
                 || engine.ascii_host(regexp_replace(address, '^.*@', '')) end;
