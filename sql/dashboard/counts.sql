-- How the rows of a business table stand.

-- name: by_word
select item.{column}::text as word, count(*) as rows from {table} as item {sample} group by 1
