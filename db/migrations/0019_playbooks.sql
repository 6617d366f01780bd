CREATE TABLE "playbooks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"title" text NOT NULL,
	"symptom" text NOT NULL,
	"pattern" text,
	"checks" jsonb NOT NULL,
	"meaning" text DEFAULT '' NOT NULL,
	"link" text,
	"revision" integer DEFAULT 1 NOT NULL,
	"saved_by" text NOT NULL,
	"saved_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "playbooks_checks" CHECK (jsonb_typeof("playbooks"."checks") = 'array')
);
--> statement-breakpoint
ALTER TABLE "playbooks" ADD CONSTRAINT "playbooks_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "playbooks_title" ON "playbooks" USING btree ("project_id","title");
