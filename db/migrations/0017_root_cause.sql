CREATE TABLE "counting_cursors" (
	"name" text PRIMARY KEY NOT NULL,
	"until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "root_cause_cards" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"code" text NOT NULL,
	"opened_at" timestamp (3) with time zone NOT NULL,
	"counted_until" timestamp (3) with time zone NOT NULL,
	"burst_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"total" integer NOT NULL,
	"peak" integer NOT NULL,
	"minutes" jsonb NOT NULL,
	"counts" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "dependencies" (
	"project_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"first_seen_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "dependencies_project_id_kind_name_pk" PRIMARY KEY("project_id","kind","name"),
	CONSTRAINT "dependencies_kind" CHECK ("dependencies"."kind" in ('host','resource'))
);
--> statement-breakpoint
CREATE TABLE "dependency_calls" (
	"project_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"grain" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"calls" integer NOT NULL,
	"errors" integer NOT NULL,
	"buckets" jsonb NOT NULL,
	"codes" jsonb NOT NULL,
	CONSTRAINT "dependency_calls_project_id_kind_name_grain_at_pk" PRIMARY KEY("project_id","kind","name","grain","at"),
	CONSTRAINT "dependency_calls_grain" CHECK ("dependency_calls"."grain" in ('minute','hour'))
);
--> statement-breakpoint
ALTER TABLE "root_cause_cards" ADD CONSTRAINT "root_cause_cards_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dependencies" ADD CONSTRAINT "dependencies_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dependency_calls" ADD CONSTRAINT "dependency_calls_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "root_cause_cards_open" ON "root_cause_cards" USING btree ("project_id","code") WHERE "root_cause_cards"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "root_cause_cards_code" ON "root_cause_cards" USING btree ("project_id","code","id");--> statement-breakpoint
CREATE INDEX "root_cause_cards_project" ON "root_cause_cards" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "root_cause_cards_ended" ON "root_cause_cards" USING btree ("ended_at") WHERE "root_cause_cards"."ended_at" is not null;--> statement-breakpoint
CREATE INDEX "dependencies_seen" ON "dependencies" USING btree ("last_seen_at");--> statement-breakpoint
CREATE INDEX "dependency_calls_age" ON "dependency_calls" USING btree ("grain","at");
