SET LOCAL lock_timeout = '5s';--> statement-breakpoint
ALTER TABLE "alert_inbox" ADD COLUMN "tries" integer DEFAULT 0 NOT NULL, ADD COLUMN "error" text, ADD COLUMN "next_at" timestamp (3) with time zone, ADD COLUMN "set_aside_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "alert_inbox_waiting" ON "alert_inbox" USING btree ("event_id") WHERE "alert_inbox"."set_aside_at" is null;--> statement-breakpoint
CREATE INDEX "alert_inbox_aside" ON "alert_inbox" USING btree ("set_aside_at") WHERE "alert_inbox"."set_aside_at" is not null;--> statement-breakpoint
DROP INDEX "alerts_silenced";--> statement-breakpoint
ALTER TABLE "alerts" ADD COLUMN "look_at" timestamp (3) with time zone, ADD COLUMN "parts" jsonb, ADD COLUMN "recovery_looked_at" timestamp (3) with time zone, ADD COLUMN "revision" integer DEFAULT 1 NOT NULL, DROP COLUMN "silence_id";--> statement-breakpoint
-- An open alert speaks of its code in its pipeline from now on; what it was kept back by is looked at at once.
UPDATE "alerts" SET "key" = "key" || '/' || coalesce("pipeline_id"::text, '') WHERE "kind" = 'code' AND "resolved_at" IS NULL;--> statement-breakpoint
UPDATE "alerts" SET "suppressed" = jsonb_build_object('kind', "suppressed"->>'kind', 'ref', "suppressed"->>'ref', 'data', '{}'::jsonb, 'until', "suppressed"->'until'), "look_at" = clock_timestamp() WHERE "resolved_at" IS NULL AND "suppressed" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "alerts_key" ON "alerts" USING btree ("project_id","key","resolved_at");--> statement-breakpoint
CREATE INDEX "alerts_last" ON "alerts" USING btree ("project_id","last_at");--> statement-breakpoint
CREATE INDEX "alerts_look" ON "alerts" USING btree ("look_at") WHERE "alerts"."resolved_at" is null and "alerts"."look_at" is not null;--> statement-breakpoint
CREATE INDEX "alerts_recovery" ON "alerts" USING btree ("recovery_looked_at" NULLS FIRST) WHERE "alerts"."resolved_at" is null and "alerts"."kind" <> 'silence';--> statement-breakpoint
ALTER TABLE "alert_receipts" DROP CONSTRAINT "alert_receipts_by";--> statement-breakpoint
ALTER TABLE "alert_receipts" ADD COLUMN "suppressors" jsonb, ADD COLUMN "health" jsonb, DROP COLUMN "suppressed_label", DROP COLUMN "suppressed_ref";--> statement-breakpoint
ALTER TABLE "alert_receipts" ADD CONSTRAINT "alert_receipts_by" CHECK ("alert_receipts"."suppressed_by" in ('silence','inhibition','batch','task','acknowledged','code','window','route','grace')) NOT VALID;--> statement-breakpoint
DROP INDEX "silences_unreleased";--> statement-breakpoint
ALTER TABLE "silences" DROP COLUMN "released_at";--> statement-breakpoint
ALTER TABLE "alert_channels" ADD COLUMN "per_minute" integer, ADD COLUMN "spent" jsonb;--> statement-breakpoint
ALTER TABLE "alert_channels" ADD CONSTRAINT "alert_channels_per_minute" CHECK ("alert_channels"."per_minute" between 1 and 1000);--> statement-breakpoint
DROP INDEX "alert_deliveries_due";--> statement-breakpoint
CREATE INDEX "alert_deliveries_due" ON "alert_deliveries" USING btree ("channel_id","next_at") WHERE "alert_deliveries"."state" = 'waiting';--> statement-breakpoint
-- Whoever acts on an alert says which state of it was looked at; whichever path changes it counts.
create function count_alert_revision() returns trigger language plpgsql as $$
begin
  new.revision := old.revision + 1;
  return new;
end $$;
--> statement-breakpoint
create trigger alerts_revision before update on alerts for each row
  when (old.grade is distinct from new.grade or old.acknowledged_at is distinct from new.acknowledged_at
    or old.resolved_at is distinct from new.resolved_at)
  execute function count_alert_revision();
