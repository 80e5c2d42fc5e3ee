// The chart of a small addon in a repository on loopback, as the catalogue names it: of Reloader, with what tests of
// installing and upgrading look at.
import { catalogue } from "@fairlead/doctor";
import { type ChartRepository, startChartRepository } from "@fairlead/testkit";

export interface ReloaderCharts extends ChartRepository {
  /** The catalogue's version of it. */
  readonly version: string;
  readonly chart: string;
  /** For `--mirror`. */
  readonly mirror: string;
}

export async function startReloaderCharts(options: {
  readonly folder: string;
  /** The catalogue's unless given. */
  readonly version?: string;
  /** An additional template. */
  readonly extra?: string;
}): Promise<ReloaderCharts> {
  const install = catalogue.find(({ id }) => id === "reloader")?.install;
  if (!install) throw new Error("Reloader has no chart in the catalogue");
  const version = options.version ?? install.version;
  const files = {
    "values.yaml": "note: ours\nimage: mirror.invalid/stakater/reloader\n",
    "templates/deployment.yaml": reloaderDeployment,
    "templates/secret.yaml": secret,
    ...(options.extra !== undefined && { "templates/extra.yaml": options.extra }),
  };
  const charts = await startChartRepository({ folder: options.folder, chart: { name: install.chart, version }, files });
  return { ...charts, version, chart: install.chart, mirror: `${install.repository}=${charts.url}` };
}

export const reloaderDeployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: reloader
  labels: {app.kubernetes.io/name: reloader, app.kubernetes.io/managed-by: {{ .Release.Service }}}
  annotations: {note: {{ printf "%s %s" (.Values.note | toString) (.Values.extra | default "") | trim | quote }}}
spec:
  replicas: 1
  selector: {matchLabels: {app.kubernetes.io/name: reloader}}
  template:
    metadata: {labels: {app.kubernetes.io/name: reloader}}
    spec:
      containers:
        - name: reloader
          image: {{ .Values.image }}:v1.2.0
`;

const secret = `{{ if .Values.token }}apiVersion: v1
kind: Secret
metadata: {name: mine}
data: {token: {{ .Values.token | b64enc }}}
{{ end }}`;
