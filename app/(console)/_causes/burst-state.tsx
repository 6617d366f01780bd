import { CircleCheck, Flame } from "lucide-react";
import { useTranslations } from "next-intl";
import { Badge } from "@/app/_ui/badge";

/** Whether a burst goes on, by icon, word and colour. */
export function BurstState({ endedAt }: { endedAt: Date | null }) {
  const t = useTranslations("causes.state");
  return endedAt === null ? (
    <Badge tone="bad" icon={<Flame size={12} aria-hidden="true" />}>
      {t("open")}
    </Badge>
  ) : (
    <Badge icon={<CircleCheck size={12} aria-hidden="true" />}>{t("ended")}</Badge>
  );
}
