import enAdvice from "./en/advice.json";
import enAlerts from "./en/alerts.json";
import enAudit from "./en/audit.json";
import enAuth from "./en/auth.json";
import enCauses from "./en/causes.json";
import enCodes from "./en/codes.json";
import enDeadLetters from "./en/deadLetters.json";
import enDependencies from "./en/dependencies.json";
import enEditor from "./en/editor.json";
import enFrame from "./en/frame.json";
import enHome from "./en/home.json";
import enImports from "./en/imports.json";
import enIncidents from "./en/incidents.json";
import enLinks from "./en/links.json";
import enPipeline from "./en/pipeline.json";
import enPipelines from "./en/pipelines.json";
import enPlaybooks from "./en/playbooks.json";
import enReviews from "./en/reviews.json";
import enRouting from "./en/routing.json";
import enRun from "./en/run.json";
import enRuns from "./en/runs.json";
import enSchedules from "./en/schedules.json";
import enSettings from "./en/settings.json";
import enStatus from "./en/status.json";
import enUi from "./en/ui.json";
import enValves from "./en/valves.json";
import enWorkers from "./en/workers.json";
import type { Locale } from "./locales";
import zhAdvice from "./zh-CN/advice.json";
import zhAlerts from "./zh-CN/alerts.json";
import zhAudit from "./zh-CN/audit.json";
import zhAuth from "./zh-CN/auth.json";
import zhCauses from "./zh-CN/causes.json";
import zhCodes from "./zh-CN/codes.json";
import zhDeadLetters from "./zh-CN/deadLetters.json";
import zhDependencies from "./zh-CN/dependencies.json";
import zhEditor from "./zh-CN/editor.json";
import zhFrame from "./zh-CN/frame.json";
import zhHome from "./zh-CN/home.json";
import zhImports from "./zh-CN/imports.json";
import zhIncidents from "./zh-CN/incidents.json";
import zhLinks from "./zh-CN/links.json";
import zhPipeline from "./zh-CN/pipeline.json";
import zhPipelines from "./zh-CN/pipelines.json";
import zhPlaybooks from "./zh-CN/playbooks.json";
import zhReviews from "./zh-CN/reviews.json";
import zhRouting from "./zh-CN/routing.json";
import zhRun from "./zh-CN/run.json";
import zhRuns from "./zh-CN/runs.json";
import zhSchedules from "./zh-CN/schedules.json";
import zhSettings from "./zh-CN/settings.json";
import zhStatus from "./zh-CN/status.json";
import zhUi from "./zh-CN/ui.json";
import zhValves from "./zh-CN/valves.json";
import zhWorkers from "./zh-CN/workers.json";

/** One file per area of the product and language; the area's name is the namespace in `useTranslations`. */
const en = {
  advice: enAdvice,
  alerts: enAlerts,
  audit: enAudit,
  auth: enAuth,
  causes: enCauses,
  codes: enCodes,
  deadLetters: enDeadLetters,
  dependencies: enDependencies,
  editor: enEditor,
  frame: enFrame,
  home: enHome,
  imports: enImports,
  incidents: enIncidents,
  links: enLinks,
  pipeline: enPipeline,
  pipelines: enPipelines,
  playbooks: enPlaybooks,
  reviews: enReviews,
  routing: enRouting,
  run: enRun,
  runs: enRuns,
  schedules: enSchedules,
  settings: enSettings,
  status: enStatus,
  ui: enUi,
  valves: enValves,
  workers: enWorkers,
};
export type Messages = typeof en;

const zhCN: Messages = {
  advice: zhAdvice,
  alerts: zhAlerts,
  audit: zhAudit,
  auth: zhAuth,
  causes: zhCauses,
  codes: zhCodes,
  deadLetters: zhDeadLetters,
  dependencies: zhDependencies,
  editor: zhEditor,
  frame: zhFrame,
  home: zhHome,
  imports: zhImports,
  incidents: zhIncidents,
  links: zhLinks,
  pipeline: zhPipeline,
  pipelines: zhPipelines,
  playbooks: zhPlaybooks,
  reviews: zhReviews,
  routing: zhRouting,
  run: zhRun,
  runs: zhRuns,
  schedules: zhSchedules,
  settings: zhSettings,
  status: zhStatus,
  ui: zhUi,
  valves: zhValves,
  workers: zhWorkers,
};

export const MESSAGES: Record<Locale, Messages> = { en, "zh-CN": zhCN };
