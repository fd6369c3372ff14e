-- The history of calls in a compact form. Rows of "execution" are moved there by maintenance; new ones are not written.

-- "lasts" is 1 for changes and errors, "full" is 1 for rows that stay as they are; "until" is when the last call began.
CREATE TABLE "execution_log" (
    "lasts"   BIGINT NOT NULL,
    "full"    BIGINT NOT NULL,
    "until"   BIGINT NOT NULL,
    "id"      TEXT   NOT NULL,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL,
    PRIMARY KEY ("lasts", "full", "until", "id")
);

-- "step" is the number of seconds that a row counts.
CREATE TABLE "call_total" (
    "step"    BIGINT NOT NULL,
    "start"   BIGINT NOT NULL,
    "process" TEXT   NOT NULL,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL,
    PRIMARY KEY ("step", "start", "process")
);

-- The bytes of "execution_log", in a few parts so that processes do not wait for each other.
CREATE TABLE "history_size" (
    "part"    BIGINT NOT NULL PRIMARY KEY,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL
);
