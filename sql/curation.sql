-- The body of a curation trigger function: a person's word for a row becomes work, in the statement that said it.
-- Filled in from the registry by db/triggers.py; what stands in braces becomes a quoted name or word.
--
-- A change to Selected queues the row and clears its error. A row that is queued or running is not disturbed, and no
-- other word stops a run.

begin
    if (tg_op = 'INSERT' or old.{curation} is distinct from new.{curation})
       and (new.{status} is null or new.{status}::text not in ({queued}, {processing})) then
        new.{status} := {queued};
        new.{error} := null;
    end if;
    return new;
end
