CREATE SEQUENCE "run_event_ids" AS bigint;--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"provider_id" text NOT NULL,
	"user_id" text NOT NULL,
	"access_token" text,
	"refresh_token" text,
	"id_token" text,
	"access_token_expires_at" timestamp (3) with time zone,
	"refresh_token_expires_at" timestamp (3) with time zone,
	"scope" text,
	"password" text,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "allowed_hosts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"host" text NOT NULL,
	"port" integer NOT NULL,
	"reason" text DEFAULT '' NOT NULL,
	"created_by" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "memberships" (
	"project_id" uuid NOT NULL,
	"user_id" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "memberships_project_id_user_id_pk" PRIMARY KEY("project_id","user_id"),
	CONSTRAINT "memberships_role" CHECK ("memberships"."role" in ('viewer','operator','editor','admin'))
);
--> statement-breakpoint
CREATE TABLE "one_time_links" (
	"hash" text PRIMARY KEY NOT NULL,
	"purpose" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"id" uuid PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"title" text NOT NULL,
	"settings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "projects_key_unique" UNIQUE("key")
);
--> statement-breakpoint
CREATE TABLE "secrets" (
	"project_id" uuid NOT NULL,
	"name" text NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"key_id" text NOT NULL,
	"wrapped_key" "bytea" NOT NULL,
	"nonce" "bytea" NOT NULL,
	"ciphertext" "bytea" NOT NULL,
	"created_by" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "secrets_project_id_name_pk" PRIMARY KEY("project_id","name")
);
--> statement-breakpoint
CREATE TABLE "service_tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"name" text NOT NULL,
	"role" text NOT NULL,
	"hash" text NOT NULL,
	"created_by" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "service_tokens_hash_unique" UNIQUE("hash"),
	CONSTRAINT "service_tokens_role" CHECK ("service_tokens"."role" in ('viewer','operator','editor','admin'))
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"token" text NOT NULL,
	"user_id" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ip_address" text,
	"user_agent" text,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "sessions_token_unique" UNIQUE("token")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"email_verified" boolean DEFAULT false NOT NULL,
	"image" text,
	"is_admin" boolean DEFAULT false NOT NULL,
	"disabled_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "users_email_unique" UNIQUE("email")
);
--> statement-breakpoint
CREATE TABLE "verifications" (
	"id" text PRIMARY KEY NOT NULL,
	"identifier" text NOT NULL,
	"value" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "fires" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"pipeline_id" uuid NOT NULL,
	"schedule_id" uuid NOT NULL,
	"schedule_version" integer NOT NULL,
	"fire_at" timestamp (3) with time zone NOT NULL,
	"verdict" text NOT NULL,
	"reason" text,
	"late_ms" integer DEFAULT 0 NOT NULL,
	"run_id" uuid,
	"duplicates_refused" integer DEFAULT 0 NOT NULL,
	"epoch" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "fires_verdict" CHECK ("fires"."verdict" in ('ran','late','caught_up','skipped','missed'))
);
--> statement-breakpoint
CREATE TABLE "pipeline_versions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"pipeline_id" uuid NOT NULL,
	"no" integer NOT NULL,
	"definition" jsonb NOT NULL,
	"layout" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"hash" text NOT NULL,
	"message" text DEFAULT '' NOT NULL,
	"created_by" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "pipelines" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"name" text NOT NULL,
	"title" text NOT NULL,
	"owner" text NOT NULL,
	"labels" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"live_version_id" uuid,
	"live_version_no" integer,
	"draft" jsonb,
	"draft_layout" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"draft_revision" integer DEFAULT 0 NOT NULL,
	"draft_base_version_no" integer,
	"draft_updated_by" text,
	"draft_updated_at" timestamp (3) with time zone,
	"managed_by" text DEFAULT 'console' NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"origin" text,
	"created_by" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_by" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"archived_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "pipelines_managed_by" CHECK ("pipelines"."managed_by" in ('console','git'))
);
--> statement-breakpoint
CREATE TABLE "schedules" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"pipeline_id" uuid NOT NULL,
	"name" text NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"expression" text NOT NULL,
	"dialect" text NOT NULL,
	"timezone" text NOT NULL,
	"misfire" text NOT NULL,
	"overlap" text NOT NULL,
	"gap" text NOT NULL,
	"fold" text NOT NULL,
	"params" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"health" text DEFAULT 'OK' NOT NULL,
	"health_reason" text,
	"active_from" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"cursor_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"next_fire_at" timestamp (3) with time zone,
	"removed_at" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "schedules_dialect" CHECK ("schedules"."dialect" in ('vixie','quartz')),
	CONSTRAINT "schedules_misfire" CHECK ("schedules"."misfire" in ('latest','all','none')),
	CONSTRAINT "schedules_overlap" CHECK ("schedules"."overlap" in ('skip','queue','allow','cancel_previous')),
	CONSTRAINT "schedules_gap" CHECK ("schedules"."gap" in ('shift','skip')),
	CONSTRAINT "schedules_fold" CHECK ("schedules"."fold" in ('first','last','both')),
	CONSTRAINT "schedules_health" CHECK ("schedules"."health" in ('OK','ERROR'))
);
--> statement-breakpoint
CREATE TABLE "audit" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid,
	"seq" bigint NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text NOT NULL,
	"actor_label" text NOT NULL,
	"verb" text NOT NULL,
	"object_kind" text NOT NULL,
	"object_id" text NOT NULL,
	"object_label" text NOT NULL,
	"reason" text,
	"before" jsonb,
	"after" jsonb,
	"source" jsonb NOT NULL,
	"request_id" text NOT NULL,
	"prev_hash" text NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "audit_actor_kind" CHECK ("audit"."actor_kind" in ('user','token','schedule','worker','system'))
) PARTITION BY RANGE ("id");
--> statement-breakpoint
CREATE TABLE "audit_heads" (
	"scope" text PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL,
	"hash" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "leases" (
	"name" text PRIMARY KEY NOT NULL,
	"holder" text NOT NULL,
	"boot_id" uuid NOT NULL,
	"epoch" integer NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"acquired_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"report" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "platform_events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"code" text NOT NULL,
	"message" text NOT NULL,
	"data" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL
) PARTITION BY RANGE ("id");
--> statement-breakpoint
CREATE TABLE "settings" (
	"key" text PRIMARY KEY NOT NULL,
	"value" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tasks" (
	"worker_group" text NOT NULL,
	"name" text NOT NULL,
	"input_schema" jsonb,
	"output_schema" jsonb,
	"seen_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "tasks_worker_group_name_pk" PRIMARY KEY("worker_group","name")
);
--> statement-breakpoint
CREATE TABLE "workers" (
	"id" text PRIMARY KEY NOT NULL,
	"boot_id" uuid NOT NULL,
	"epoch" integer DEFAULT 1 NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"groups" text[] NOT NULL,
	"slots" integer NOT NULL,
	"hostname" text NOT NULL,
	"pid" integer NOT NULL,
	"site" text,
	"draining" boolean DEFAULT false NOT NULL,
	"fingerprint" jsonb NOT NULL,
	"heartbeat" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"refusing" text,
	"started_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "attempts" (
	"run_id" uuid NOT NULL,
	"node_key" text NOT NULL,
	"generation" integer NOT NULL,
	"no" integer NOT NULL,
	"execution_id" uuid NOT NULL,
	"token" integer NOT NULL,
	"outcome" text,
	"worker_id" text,
	"worker_boot" uuid,
	"worker" jsonb,
	"refs" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"run_state" text NOT NULL,
	"inputs" jsonb,
	"output" jsonb,
	"response" jsonb,
	"error_code" text,
	"error_message" text,
	"trace_id" text NOT NULL,
	"span_id" text NOT NULL,
	"queued_at" timestamp (3) with time zone,
	"dispatched_at" timestamp (3) with time zone NOT NULL,
	"picked_up_at" timestamp (3) with time zone,
	"executing_at" timestamp (3) with time zone,
	"committed_at" timestamp (3) with time zone,
	"log_bytes" bigint DEFAULT 0 NOT NULL,
	"log_truncated" boolean DEFAULT false NOT NULL,
	"maybe_repeated" boolean DEFAULT false NOT NULL,
	"handed_on" boolean DEFAULT false NOT NULL,
	CONSTRAINT "attempts_run_id_node_key_generation_no_pk" PRIMARY KEY("run_id","node_key","generation","no"),
	CONSTRAINT "attempts_outcome" CHECK ("attempts"."outcome" in ('succeeded','failed','timed_out','lost','canceled','handed_back'))
) PARTITION BY RANGE ("run_id");
--> statement-breakpoint
CREATE TABLE "blobs" (
	"hash" text PRIMARY KEY NOT NULL,
	"bytes" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "error_events" (
	"run_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"project_id" uuid NOT NULL,
	"pipeline_id" uuid NOT NULL,
	"node_key" text NOT NULL,
	"generation" integer NOT NULL,
	"attempt_no" integer NOT NULL,
	"execution_id" uuid NOT NULL,
	"code" text NOT NULL,
	"message" text NOT NULL,
	"stack" text,
	"stack_hash" text,
	"retry_count" integer NOT NULL,
	"context" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"trace_id" text NOT NULL,
	"worker_id" text,
	"at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "error_events_run_id_id_pk" PRIMARY KEY("run_id","id")
) PARTITION BY RANGE ("run_id");
--> statement-breakpoint
CREATE TABLE "executions" (
	"execution_id" uuid PRIMARY KEY NOT NULL,
	"run_id" uuid NOT NULL,
	"node_key" text NOT NULL,
	"state" text DEFAULT 'REGISTERED' NOT NULL,
	"token" integer DEFAULT 0 NOT NULL,
	"result" jsonb,
	"completed_by" text,
	"replaces" uuid,
	"registered_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"executing_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone,
	CONSTRAINT "executions_state" CHECK ("executions"."state" in ('REGISTERED','EXECUTING','COMPLETED'))
) PARTITION BY RANGE ("execution_id");
--> statement-breakpoint
CREATE TABLE "log_chunks" (
	"run_id" uuid NOT NULL,
	"node_key" text NOT NULL,
	"generation" integer NOT NULL,
	"attempt_no" integer NOT NULL,
	"chunk" integer NOT NULL,
	"lines" jsonb NOT NULL,
	"bytes" integer NOT NULL,
	"at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "log_chunks_run_id_node_key_generation_attempt_no_chunk_pk" PRIMARY KEY("run_id","node_key","generation","attempt_no","chunk")
) PARTITION BY RANGE ("run_id");
--> statement-breakpoint
CREATE TABLE "node_runs" (
	"run_id" uuid NOT NULL,
	"key" text NOT NULL,
	"ord" integer NOT NULL,
	"type" text NOT NULL,
	"worker_group" text NOT NULL,
	"state" text NOT NULL,
	"generation" integer DEFAULT 1 NOT NULL,
	"execution_id" uuid NOT NULL,
	"token" integer DEFAULT 0 NOT NULL,
	"attempt_no" integer DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"skip_cause" text,
	"timeout_ms" bigint NOT NULL,
	"deadline_ms" bigint NOT NULL,
	"inputs_from" text[] DEFAULT '{}'::text[] NOT NULL,
	"held" boolean DEFAULT false NOT NULL,
	"priority" integer DEFAULT 0 NOT NULL,
	"rank" timestamp (3) with time zone,
	"ready_at" timestamp (3) with time zone,
	"queued_at" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"timeout_at" timestamp (3) with time zone,
	"deadline_at" timestamp (3) with time zone,
	"started_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"worker_id" text,
	"worker_boot" uuid,
	"error_code" text,
	"error_message" text,
	"maybe_repeated" boolean DEFAULT false NOT NULL,
	CONSTRAINT "node_runs_run_id_key_pk" PRIMARY KEY("run_id","key"),
	CONSTRAINT "node_runs_state" CHECK ("node_runs"."state" in ('PENDING','QUEUED','RUNNING','RETRYING','AWAITING_APPROVAL','MANUAL_REVIEW','SUCCESS','FAILED','TIMEOUT','CANCELED','SKIPPED')),
	CONSTRAINT "node_runs_skip_cause" CHECK ("node_runs"."skip_cause" in ('person','branch','upstream'))
) PARTITION BY RANGE ("run_id");
--> statement-breakpoint
CREATE TABLE "run_events" (
	"run_id" uuid NOT NULL,
	"id" bigint DEFAULT nextval('run_event_ids') NOT NULL,
	"at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"event" text NOT NULL,
	"node_key" text,
	"generation" integer,
	"attempt_no" integer,
	"from_state" text,
	"to_state" text,
	"actor" jsonb NOT NULL,
	"cause" text NOT NULL,
	"data" jsonb DEFAULT '{}'::jsonb NOT NULL,
	CONSTRAINT "run_events_run_id_id_pk" PRIMARY KEY("run_id","id")
) PARTITION BY RANGE ("run_id");
--> statement-breakpoint
CREATE TABLE "run_requests" (
	"project_id" uuid NOT NULL,
	"key" text NOT NULL,
	"request_hash" text NOT NULL,
	"run_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "run_requests_project_id_key_pk" PRIMARY KEY("project_id","key")
);
--> statement-breakpoint
CREATE TABLE "runs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"pipeline_id" uuid NOT NULL,
	"version_id" uuid NOT NULL,
	"version_no" integer NOT NULL,
	"state" text NOT NULL,
	"seq" integer DEFAULT 0 NOT NULL,
	"trigger_kind" text NOT NULL,
	"actor" jsonb NOT NULL,
	"schedule_id" uuid,
	"scheduled_at" timestamp (3) with time zone,
	"params" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"business_keys" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"priority" integer DEFAULT 0 NOT NULL,
	"paused_by_person" boolean DEFAULT false NOT NULL,
	"cancel_requested_at" timestamp (3) with time zone,
	"after_earlier" boolean DEFAULT false NOT NULL,
	"rerun_of" uuid,
	"trace_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "runs_state" CHECK ("runs"."state" in ('PENDING','RUNNING','PAUSED','SUCCESS','FAILED','CANCELED')),
	CONSTRAINT "runs_trigger" CHECK ("runs"."trigger_kind" in ('manual','api','schedule','rerun'))
) PARTITION BY RANGE ("id");
--> statement-breakpoint
CREATE TABLE "slots" (
	"key" text NOT NULL,
	"no" integer NOT NULL,
	"run_id" uuid,
	"node_key" text,
	"token" integer,
	CONSTRAINT "slots_key_no_pk" PRIMARY KEY("key","no")
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "allowed_hosts" ADD CONSTRAINT "allowed_hosts_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "secrets" ADD CONSTRAINT "secrets_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_tokens" ADD CONSTRAINT "service_tokens_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "fires" ADD CONSTRAINT "fires_schedule_id_schedules_id_fk" FOREIGN KEY ("schedule_id") REFERENCES "public"."schedules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipeline_versions" ADD CONSTRAINT "pipeline_versions_pipeline_id_pipelines_id_fk" FOREIGN KEY ("pipeline_id") REFERENCES "public"."pipelines"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipelines" ADD CONSTRAINT "pipelines_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_pipeline_id_pipelines_id_fk" FOREIGN KEY ("pipeline_id") REFERENCES "public"."pipelines"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "accounts_user" ON "accounts" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "allowed_hosts_target" ON "allowed_hosts" USING btree ("project_id","host","port");--> statement-breakpoint
CREATE INDEX "memberships_user" ON "memberships" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "service_tokens_project" ON "service_tokens" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "verifications_identifier" ON "verifications" USING btree ("identifier");--> statement-breakpoint
CREATE UNIQUE INDEX "fires_once" ON "fires" USING btree ("schedule_id","fire_at");--> statement-breakpoint
CREATE INDEX "fires_project_time" ON "fires" USING btree ("project_id","fire_at");--> statement-breakpoint
CREATE UNIQUE INDEX "pipeline_versions_no" ON "pipeline_versions" USING btree ("pipeline_id","no");--> statement-breakpoint
CREATE UNIQUE INDEX "pipelines_name" ON "pipelines" USING btree ("project_id","name") WHERE "pipelines"."deleted_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "pipelines_origin" ON "pipelines" USING btree ("project_id","origin") WHERE "pipelines"."deleted_at" is null and "pipelines"."origin" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "schedules_name" ON "schedules" USING btree ("pipeline_id","name");--> statement-breakpoint
CREATE INDEX "schedules_next" ON "schedules" USING btree ("next_fire_at") WHERE "schedules"."enabled" and "schedules"."removed_at" is null and "schedules"."health" = 'OK';--> statement-breakpoint
CREATE INDEX "audit_project" ON "audit" USING btree ("project_id","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "audit_object" ON "audit" USING btree ("object_kind","object_id","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "audit_actor" ON "audit" USING btree ("actor_id","id" DESC NULLS LAST);--> statement-breakpoint
CREATE UNIQUE INDEX "leases_epoch" ON "leases" USING btree ("name","epoch");--> statement-breakpoint
CREATE INDEX "platform_events_code" ON "platform_events" USING btree ("code","at");--> statement-breakpoint
CREATE UNIQUE INDEX "workers_lease" ON "workers" USING btree ("id","boot_id","epoch");--> statement-breakpoint
CREATE INDEX "workers_expiry" ON "workers" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "error_events_task" ON "error_events" USING btree ("run_id","node_key","at");--> statement-breakpoint
CREATE INDEX "error_events_project_time" ON "error_events" USING btree ("project_id","at");--> statement-breakpoint
CREATE INDEX "error_events_code" ON "error_events" USING btree ("code","at");--> statement-breakpoint
CREATE INDEX "node_runs_ready" ON "node_runs" USING btree ("worker_group","rank") WHERE "node_runs"."state" = 'QUEUED' and not "node_runs"."held";--> statement-breakpoint
CREATE INDEX "node_runs_due" ON "node_runs" USING btree ("due_at") WHERE "node_runs"."state" in ('RETRYING','RUNNING') and "node_runs"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "node_runs_timeout" ON "node_runs" USING btree ("timeout_at") WHERE "node_runs"."state" = 'RUNNING';--> statement-breakpoint
CREATE INDEX "node_runs_deadline" ON "node_runs" USING btree ("deadline_at") WHERE "node_runs"."state" in ('QUEUED','RUNNING','RETRYING') and "node_runs"."deadline_at" is not null;--> statement-breakpoint
CREATE INDEX "node_runs_worker" ON "node_runs" USING btree ("worker_id") WHERE "node_runs"."state" = 'RUNNING';--> statement-breakpoint
CREATE INDEX "runs_project" ON "runs" USING btree ("project_id","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "runs_pipeline" ON "runs" USING btree ("pipeline_id","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "runs_live" ON "runs" USING btree ("pipeline_id","id") WHERE "runs"."state" in ('PENDING','RUNNING','PAUSED');--> statement-breakpoint
CREATE INDEX "slots_free" ON "slots" USING btree ("key") WHERE "slots"."run_id" is null;--> statement-breakpoint
CREATE INDEX "runs_waiting" ON "runs" USING btree ("pipeline_id","id") WHERE "runs"."state" = 'PENDING';--> statement-breakpoint
CREATE INDEX "runs_live_schedule" ON "runs" USING btree ("schedule_id","id") WHERE "runs"."state" in ('PENDING','RUNNING','PAUSED') and "runs"."schedule_id" is not null;--> statement-breakpoint
CREATE INDEX "slots_taken" ON "slots" USING btree ("run_id") WHERE "slots"."run_id" is not null;