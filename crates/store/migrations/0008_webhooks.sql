-- Webhooks: their addresses and sealed secrets; how far the feed was delivered to each; and deliveries that wait or had to.

CREATE TABLE "webhook" (
    "id"      TEXT   NOT NULL PRIMARY KEY,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL
);

CREATE TABLE "webhook_lane" (
    "webhook_id" TEXT   NOT NULL PRIMARY KEY,
    "version"    BIGINT NOT NULL,
    "body"       TEXT   NOT NULL
);

-- "waiting" is 1 until the delivery has succeeded or failed for good.
CREATE TABLE "webhook_delivery" (
    "webhook_id" TEXT   NOT NULL,
    "event_id"   TEXT   NOT NULL,
    "waiting"    BIGINT NOT NULL,
    "position"   BIGINT NOT NULL,
    "updated_at" BIGINT NOT NULL,
    "version"    BIGINT NOT NULL,
    "body"       TEXT   NOT NULL,
    PRIMARY KEY ("webhook_id", "event_id")
);
CREATE INDEX "webhook_delivery_in_order" ON "webhook_delivery" ("webhook_id", "waiting", "position");
CREATE INDEX "webhook_delivery_by_age" ON "webhook_delivery" ("waiting", "updated_at");
