"use client";
import { Ban, BookCheck, CircleDashed, CircleDot, Flame, Siren, TriangleAlert } from "lucide-react";
import { useTranslations } from "next-intl";
import { Badge, type Tone } from "@/app/_ui/badge";
import type { CodeLine } from "./views";

const STATES = {
  proposed: { icon: CircleDashed, tone: "warn" },
  registered: { icon: BookCheck, tone: "good" },
  deprecated: { icon: Ban, tone: "neutral" },
} as const;

export function CodeStateMark({ state }: { state: CodeLine["state"] }) {
  const t = useTranslations("codes.state");
  const { icon: Icon, tone } = STATES[state];
  return (
    <Badge tone={tone} icon={<Icon size={12} aria-hidden="true" />}>
      {t(state)}
    </Badge>
  );
}

const GRADES: Readonly<Record<CodeLine["grade"], { icon: typeof Siren; tone: Tone }>> = {
  P0: { icon: Siren, tone: "bad" },
  P1: { icon: Flame, tone: "bad" },
  P2: { icon: TriangleAlert, tone: "warn" },
  P3: { icon: CircleDot, tone: "info" },
  P4: { icon: CircleDashed, tone: "neutral" },
};

/** A grade by its number, its shape and its colour. */
export function GradeMark({ grade }: { grade: CodeLine["grade"] }) {
  const t = useTranslations("codes.grade");
  const { icon: Icon, tone } = GRADES[grade];
  return (
    <Badge tone={tone} title={t(grade)} icon={<Icon size={12} aria-hidden="true" />}>
      {grade}
    </Badge>
  );
}
