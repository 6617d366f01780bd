"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Checkbox } from "@/app/_ui/checkbox";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { Input } from "@/app/_ui/input";
import { Select } from "@/app/_ui/select";
import { notify } from "@/app/_ui/toast";
import { CHANNEL_KINDS, type ChannelKind, USUAL_PER_MINUTE } from "@/server/domain/alert/channel";
import { GRADES } from "@/server/domain/alert/grade";
import { GradeMark } from "../../_grades/grade-mark";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import type { Channel } from "./views";

const EXAMPLE_URLS: Readonly<Record<Exclude<ChannelKind, "email">, string>> = {
  webhook: "https://ops.example.org/alerts",
  slack: "https://hooks.slack.com/services/…",
  feishu: "https://open.feishu.cn/open-apis/bot/v2/hook/…",
  dingtalk: "https://oapi.dingtalk.com/robot/send?access_token=…",
  wecom: "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=…",
};
/** As the server takes it. */
const MOST_PER_MINUTE = 1_000;
const EXAMPLE_MAIL = "ops@example.org, night@example.org";
const SIGNED = ["webhook", "feishu", "dingtalk"] as const satisfies readonly ChannelKind[];
const isSigned = (kind: ChannelKind): kind is (typeof SIGNED)[number] => SIGNED.some((each) => each === kind);

interface Access {
  kind: ChannelKind;
  url: string;
  secret: string;
  to: string;
  toOwner: boolean;
}

/** Makes a channel, or changes it. What it takes to send is written and never read back. */
export function ChannelDialog({ projectId, channel, onClose }: { projectId: string; channel: Channel | null; onClose: () => void }) {
  const t = useTranslations("alerts.channels");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const [name, setName] = useState(channel?.name ?? "");
  const [grade, setGrade] = useState(channel?.grade ?? "P2");
  const [pattern, setPattern] = useState(channel?.pattern ?? "*");
  const [enabled, setEnabled] = useState(channel?.enabled ?? true);
  const [perMinute, setPerMinute] = useState(String(channel?.perMinute ?? ""));
  const [access, setAccess] = useState<Access>({ kind: channel?.kind ?? "webhook", url: "", secret: "", to: "", toOwner: false });
  const save = useMutation(
    trpc.channels.save.mutationOptions({
      gcTime: 0,
      onSuccess: () => {
        refresh();
        onClose();
        notify({ title: t("saved", { name: name.trim() }) });
      },
    }),
  );
  const sent = accessOf(access);
  const limit = perMinute.trim() === "" ? null : Number(perMinute);
  const limitWrong = limit !== null && !(Number.isInteger(limit) && limit >= 1 && limit <= MOST_PER_MINUTE);
  return (
    <FormDialog
      title={channel ? t("changeName", { name: channel.name }) : t("add")}
      lead={t(channel ? "changeLead" : "addLead")}
      verb={t("save")}
      busy={save.isPending}
      disabled={name.trim() === "" || pattern.trim() === "" || limitWrong || (channel === null && sent === null)}
      error={save.error ? text(save.error) : null}
      onClose={onClose}
      onSubmit={() =>
        save.mutate({
          projectId,
          ...(channel ? { id: channel.id, revision: channel.revision } : {}),
          ...{ name: name.trim(), grade, pattern: pattern.trim(), enabled, perMinute: limit },
          ...(sent ? { access: sent } : {}),
        })
      }
    >
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <Field label={t("name")}>
          <Input maxLength={80} value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <Field label={t("kind")}>
          <Select
            value={access.kind}
            onValue={(kind) => setAccess({ ...access, kind })}
            options={CHANNEL_KINDS.map((value) => ({ value, label: t(`kinds.${value}`) }))}
          />
        </Field>
      </div>
      <AccessFields access={access} kept={channel?.kind === access.kind} onAccess={setAccess} />
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <Field label={t("takes")} hint={t("takesHint")}>
          <Select value={grade} onValue={setGrade} options={GRADES.map((value) => ({ value, label: <GradeMark grade={value} /> }))} />
        </Field>
        <Field label={t("pattern")} hint={t("patternHint")}>
          <Input
            mono
            autoComplete="off"
            maxLength={64}
            value={pattern}
            onChange={(event) => setPattern(event.target.value.toUpperCase())}
          />
        </Field>
      </div>
      <LimitField kind={access.kind} value={perMinute} wrong={limitWrong} onValue={setPerMinute} />
      <Checkbox checked={enabled} onChecked={setEnabled}>
        {t("enabled")}
      </Checkbox>
    </FormDialog>
  );
}

interface LimitFieldProps {
  kind: ChannelKind;
  value: string;
  wrong: boolean;
  onValue: (value: string) => void;
}

function LimitField({ kind, value, wrong, onValue }: LimitFieldProps) {
  const t = useTranslations("alerts.channels");
  return (
    <Field
      optional
      label={t("perMinute")}
      hint={t("perMinuteHint", { usual: USUAL_PER_MINUTE[kind] })}
      error={wrong ? t("perMinuteWrong", { most: MOST_PER_MINUTE }) : undefined}
    >
      <Input inputMode="numeric" maxLength={4} value={value} onChange={(event) => onValue(event.target.value)} />
    </Field>
  );
}

interface AccessFieldsProps {
  access: Access;
  /** What is sealed stays where nothing is written. */
  kept: boolean;
  onAccess: (access: Access) => void;
}

function AccessFields({ access, kept, onAccess }: AccessFieldsProps) {
  const t = useTranslations("alerts.channels");
  const { kind } = access;
  if (kind === "email") {
    return (
      <>
        <Field label={t("to")} hint={t(kept ? "kept" : "toHint")} optional={kept}>
          <Input
            autoComplete="off"
            maxLength={2_000}
            placeholder={EXAMPLE_MAIL}
            value={access.to}
            onChange={(event) => onAccess({ ...access, to: event.target.value })}
          />
        </Field>
        <Checkbox checked={access.toOwner} onChecked={(toOwner) => onAccess({ ...access, toOwner })} hint={t("toOwnerHint")}>
          {t("toOwner")}
        </Checkbox>
      </>
    );
  }
  return (
    <>
      <Field label={t("url")} hint={t(kept ? "kept" : "urlHint")} optional={kept}>
        <Input
          mono
          autoComplete="off"
          maxLength={2_000}
          placeholder={EXAMPLE_URLS[kind]}
          value={access.url}
          onChange={(event) => onAccess({ ...access, url: event.target.value })}
        />
      </Field>
      {isSigned(kind) ? (
        <Field
          label={t("secret")}
          hint={t(`secretHint.${kind}`)}
          optional={kind !== "webhook" || kept}
          aside={
            kind === "webhook" ? (
              <Button size="sm" look="quiet" onClick={() => onAccess({ ...access, secret: newSecret() })}>
                {t("newSecret")}
              </Button>
            ) : null
          }
        >
          <Input
            mono
            autoComplete="off"
            maxLength={200}
            value={access.secret}
            onChange={(event) => onAccess({ ...access, secret: event.target.value })}
          />
        </Field>
      ) : null}
    </>
  );
}

/** 32 random bytes, as Standard Webhooks writes them. */
function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}

/** What is sent; null where nothing was written, so that what is sealed stays. */
function accessOf({ kind, url, secret, to, toOwner }: Access) {
  const place = url.trim();
  if (kind === "email") {
    const list = to.split(/[\s,;]+/).filter((each) => each !== "");
    return list.length === 0 ? null : { kind, to: list, toOwner };
  }
  if (place === "") return null;
  return isSigned(kind) ? { kind, url: place, secret: secret.trim() } : { kind, url: place };
}
