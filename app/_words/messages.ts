import enAuth from "./en/auth.json";
import enEditor from "./en/editor.json";
import enFrame from "./en/frame.json";
import enRun from "./en/run.json";
import enRuns from "./en/runs.json";
import enStatus from "./en/status.json";
import enUi from "./en/ui.json";
import type { Locale } from "./locales";
import zhAuth from "./zh-CN/auth.json";
import zhEditor from "./zh-CN/editor.json";
import zhFrame from "./zh-CN/frame.json";
import zhRun from "./zh-CN/run.json";
import zhRuns from "./zh-CN/runs.json";
import zhStatus from "./zh-CN/status.json";
import zhUi from "./zh-CN/ui.json";

/** One file per area of the product and language; the area's name is the namespace in `useTranslations`. */
const en = { auth: enAuth, editor: enEditor, frame: enFrame, run: enRun, runs: enRuns, status: enStatus, ui: enUi };
export type Messages = typeof en;

const zhCN: Messages = { auth: zhAuth, editor: zhEditor, frame: zhFrame, run: zhRun, runs: zhRuns, status: zhStatus, ui: zhUi };

export const MESSAGES: Record<Locale, Messages> = { en, "zh-CN": zhCN };
