-- Events have a place in the order of commits, which the database gives and never gives again. "lasts" is 1 but for events
-- that go sooner than others. PostgreSQL: "position" is a BIGINT that is given under a lock held until the commit.

CREATE TABLE "event_with_position" (
    "position"   INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "id"         TEXT    NOT NULL UNIQUE,
    "lasts"      BIGINT  NOT NULL,
    "at"         BIGINT  NOT NULL,
    "account_id" TEXT,
    "version"    BIGINT  NOT NULL,
    "body"       TEXT    NOT NULL
);
INSERT INTO "event_with_position" ("id", "lasts", "at", "account_id", "version", "body")
    SELECT "id", 1, "at", json_extract("body", '$.account_id'), "version", "body" FROM "event" ORDER BY "at", "id";
DROP TABLE "event";
ALTER TABLE "event_with_position" RENAME TO "event";
CREATE INDEX "event_by_account" ON "event" ("account_id", "position");
CREATE INDEX "event_by_time" ON "event" ("lasts", "at");
