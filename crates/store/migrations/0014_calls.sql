-- The history of calls, one row for each. Maintenance moves the rows of "execution_log" here.

-- Names that calls refer to by number.
CREATE TABLE "call_name" (
    "number"  BIGINT NOT NULL PRIMARY KEY,
    "kind"    BIGINT NOT NULL,
    "text"    TEXT   NOT NULL,
    "detail"  TEXT   NOT NULL,
    "used_at" BIGINT NOT NULL,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL
);
CREATE INDEX "call_name_by_text" ON "call_name" ("kind", "text", "detail");
CREATE INDEX "call_name_by_detail" ON "call_name" ("kind", "detail", "number");
CREATE INDEX "call_name_by_use" ON "call_name" ("used_at");

-- "lasts" is 1 for changes and errors. An ID has 16 bytes, in two columns. 0 means none.
CREATE TABLE "call" (
    "at"         BIGINT NOT NULL,
    "id_high"    BIGINT NOT NULL,
    "id_low"     BIGINT NOT NULL,
    "lasts"      BIGINT NOT NULL,
    "tool"       BIGINT NOT NULL,
    "connection" BIGINT NOT NULL,
    "user"       BIGINT NOT NULL,
    "outcome"    BIGINT NOT NULL,
    "actor"      BIGINT NOT NULL,
    "path"       BIGINT NOT NULL,
    "status"     BIGINT NOT NULL,
    "requests"   BIGINT NOT NULL,
    "micros"     BIGINT NOT NULL,
    "trace_high" BIGINT NOT NULL,
    "trace_low"  BIGINT NOT NULL,
    "version"    BIGINT NOT NULL,
    "body"       TEXT   NOT NULL,
    PRIMARY KEY ("at", "id_high", "id_low")
) WITHOUT ROWID;
