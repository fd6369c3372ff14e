-- The history of calls, one row for each. Maintenance moves the rows of "execution_log" here.

-- Names that calls refer to by number.
CREATE TABLE "call_name" (
    "number"  BIGINT           NOT NULL PRIMARY KEY,
    "kind"    BIGINT           NOT NULL,
    "text"    TEXT COLLATE "C" NOT NULL,
    "detail"  TEXT COLLATE "C" NOT NULL,
    "used_at" BIGINT           NOT NULL,
    "version" BIGINT           NOT NULL,
    "body"    TEXT             NOT NULL
);
CREATE INDEX "call_name_by_text" ON "call_name" ("kind", "text", "detail");
CREATE INDEX "call_name_by_detail" ON "call_name" ("kind", "detail", "number");
CREATE INDEX "call_name_by_use" ON "call_name" ("used_at");

-- "lasts" is 1 for changes and errors. An ID has 16 bytes, in two columns. 0 means none. Wide columns come first, so that
-- no space is lost between them.
CREATE TABLE "call" (
    "at"         BIGINT  NOT NULL,
    "id_high"    BIGINT  NOT NULL,
    "id_low"     BIGINT  NOT NULL,
    "micros"     BIGINT  NOT NULL,
    "trace_high" BIGINT  NOT NULL,
    "trace_low"  BIGINT  NOT NULL,
    "version"    BIGINT  NOT NULL,
    "tool"       INTEGER NOT NULL,
    "connection" INTEGER NOT NULL,
    "user"       INTEGER NOT NULL,
    "actor"      INTEGER NOT NULL,
    "path"       INTEGER NOT NULL,
    "requests"   INTEGER NOT NULL,
    "outcome"    INTEGER NOT NULL,
    "lasts"      INTEGER NOT NULL,
    "status"     INTEGER NOT NULL,
    "body"       TEXT    NOT NULL,
    PRIMARY KEY ("at", "id_high", "id_low")
);
