-- The links of buttons in messages: what stands here of a token is enough to know it again, and nothing to use.
CREATE TABLE "action_links" (
	"hash" text PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"alert_id" uuid NOT NULL,
	"action" text NOT NULL,
	"target" jsonb NOT NULL,
	"version" text NOT NULL,
	"maker" jsonb NOT NULL,
	"user_id" text,
	"user_label" text,
	"opened_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	"used_by" text,
	"used_in" text,
	CONSTRAINT "action_links_action" CHECK ("action_links"."action" in ('retry_node','acknowledge','mute','skip_node','pause_pipeline','cancel_run','drain_worker','hold_worker')),
	CONSTRAINT "action_links_used" CHECK (("action_links"."used_at" is null) = ("action_links"."used_by" is null))
);
--> statement-breakpoint
ALTER TABLE "action_links" ADD CONSTRAINT "action_links_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "action_links_expired" ON "action_links" USING btree ("expires_at");
