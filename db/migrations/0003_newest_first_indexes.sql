DROP INDEX "audit_project";--> statement-breakpoint
DROP INDEX "audit_object";--> statement-breakpoint
DROP INDEX "audit_actor";--> statement-breakpoint
DROP INDEX "runs_project";--> statement-breakpoint
DROP INDEX "runs_pipeline";--> statement-breakpoint
CREATE INDEX "audit_project" ON "audit" USING btree ("project_id","seq");--> statement-breakpoint
CREATE INDEX "audit_object" ON "audit" USING btree ("object_kind","object_id","id");--> statement-breakpoint
CREATE INDEX "audit_actor" ON "audit" USING btree ("actor_id","id");--> statement-breakpoint
CREATE INDEX "runs_project" ON "runs" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "runs_pipeline" ON "runs" USING btree ("pipeline_id","id");