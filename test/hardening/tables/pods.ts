// Pods in the states that kubelets, schedulers and people bring them into.
import { ago, merge, type Shape } from "./vary.ts";

const running = { state: { running: { startedAt: ago(300) } } };
const waiting = (reason?: string): Shape => ({ state: { waiting: reason === undefined ? {} : { reason } } });
const ended = (exitCode: number, rest: Shape = {}): Shape => ({
  state: { terminated: { exitCode, finishedAt: ago(60), ...rest } },
});
const completed = ended(0, { reason: "Completed" });
const failed = ended(1, { reason: "Error" });
const restarted = (restartCount: number, secondsAgo?: number): Shape => ({
  restartCount,
  ...(secondsAgo !== undefined && {
    lastState: { terminated: { exitCode: 1, reason: "Error", finishedAt: ago(secondsAgo) } },
  }),
});
const is = (type: string, status = "True", reason?: string): Shape => ({ type, status, ...(reason && { reason }) });

interface Given {
  readonly phase?: string;
  readonly reason?: string;
  readonly containers?: readonly Shape[];
  readonly initial?: readonly Shape[];
  /** Which of the initial containers are sidecars. */
  readonly sidecars?: readonly number[];
  readonly conditions?: readonly Shape[];
  readonly spec?: Shape;
  readonly status?: Shape;
  readonly isDeleted?: true;
  /** Containers of the spec that the kubelet hasn't reported. */
  readonly unreported?: number;
}

const ready = { ...running, ready: true, started: true };

const given: readonly Given[] = [
  {},
  { phase: "Running", containers: [ready], conditions: [is("Ready"), is("Initialized")] },
  { phase: "Running", containers: [ready, { ...running, ready: false }] },
  { phase: "Running", containers: [ready, ready, ready], spec: { nodeName: "one" } },
  { phase: "Running", unreported: 2, containers: [ready] },
  { phase: "Unknown", containers: [ready] },
  { phase: "Failed", reason: "Evicted" },
  { phase: "Failed", reason: "NodeAffinity" },
  { phase: "Failed", containers: [failed] },
  { phase: "Failed", containers: [ended(137, { reason: "OOMKilled" })] },
  { phase: "Failed", containers: [ended(143, { signal: 15 })] },
  { phase: "Failed", containers: [ended(3)] },
  { phase: "Succeeded", containers: [completed] },
  { phase: "Succeeded", containers: [ended(0)] },
  { phase: "Succeeded", containers: [completed, completed] },
  { phase: "Pending", containers: [waiting("ContainerCreating")] },
  { phase: "Pending", containers: [waiting("ImagePullBackOff")] },
  { phase: "Pending", containers: [waiting()] },
  { phase: "Pending", containers: [waiting("ErrImagePull"), waiting("CreateContainerConfigError")] },
  { phase: "Running", containers: [{ ...waiting("CrashLoopBackOff"), ...restarted(7, 90) }] },
  { phase: "Running", containers: [waiting("CrashLoopBackOff"), ready] },
  { phase: "Running", containers: [ready, waiting("CrashLoopBackOff")] },
  { phase: "Running", containers: [failed, ready], conditions: [is("Ready", "False")] },
  { phase: "Running", containers: [ready, failed], conditions: [is("Ready")] },
  { phase: "Running", containers: [completed, ready], conditions: [is("Ready")] },
  { phase: "Running", containers: [completed, ready], conditions: [is("Ready", "False")] },
  { phase: "Running", containers: [completed, ready] },
  { phase: "Failed", containers: [completed, failed] },
  { phase: "Failed", containers: [failed, completed] },
  { phase: "Running", containers: [completed, failed, ready], conditions: [is("Ready", "False")] },
  { phase: "Running", containers: [completed, failed, ready], conditions: [is("Ready")] },
  { phase: "Failed", containers: [completed, ended(137, { signal: 9 }), completed] },
  { phase: "Failed", containers: [completed, ended(2)] },
  { phase: "Failed", containers: [completed, ended(0, { reason: "Error" })] },
  { phase: "Failed", reason: "DeadlineExceeded", containers: [completed, failed] },
  { phase: "Pending", initial: [waiting("PodInitializing")], containers: [waiting("PodInitializing")] },
  { phase: "Pending", initial: [completed, running], containers: [waiting("PodInitializing")] },
  { phase: "Pending", initial: [completed, completed, waiting("ImagePullBackOff")] },
  { phase: "Pending", initial: [{ ...failed, ...restarted(3, 4_000) }, waiting("PodInitializing")] },
  { phase: "Pending", initial: [ended(7), waiting()] },
  { phase: "Pending", initial: [ended(137, { signal: 9 })] },
  { phase: "Pending", initial: [{ ...waiting("CrashLoopBackOff"), ...restarted(4, 30) }, restarted(9, 20)] },
  { phase: "Running", initial: [failed], conditions: [is("Initialized")], containers: [ready] },
  { phase: "Running", initial: [waiting("Odd")], conditions: [is("Initialized", "False")], containers: [ready] },
  {
    phase: "Running",
    initial: [completed, ready],
    sidecars: [1],
    containers: [ready],
    conditions: [is("Initialized")],
  },
  { phase: "Pending", initial: [running, waiting("PodInitializing")], sidecars: [0] },
  { phase: "Pending", initial: [{ ...running, started: true }, running, ready], sidecars: [0, 2] },
  {
    phase: "Running",
    initial: [
      { ...ready, ...restarted(2, 500) },
      { ...completed, ...restarted(5, 50) },
    ],
    sidecars: [0],
    containers: [{ ...ready, ...restarted(1, 100_000) }],
    conditions: [is("Initialized"), is("Ready")],
  },
  { phase: "Running", initial: [completed], sidecars: [0], containers: [ready], conditions: [is("Initialized")] },
  {
    phase: "Running",
    initial: [
      { ...waiting("CrashLoopBackOff"), ...restarted(3, 10) },
      { ...ready, ...restarted(6, 5) },
    ],
    sidecars: [0, 1],
    containers: [{ ...ready, ...restarted(1) }],
    conditions: [is("Initialized")],
  },
  {
    phase: "Running",
    containers: [
      { ...ready, ...restarted(12) },
      { ...ready, ...restarted(1, 2_000_000) },
    ],
  },
  { phase: "Running", containers: [{ ...ready, ...restarted(0, 700) }] },
  { spec: { schedulingGates: [{ name: "example.com/wait" }] } },
  {
    phase: "Pending",
    conditions: [is("PodScheduled", "False", "Unschedulable")],
    status: { nominatedNodeName: "two" },
  },
  {
    phase: "Running",
    containers: [ready],
    spec: { nodeName: "one", readinessGates: [{ conditionType: "example.com/a" }, { conditionType: "example.com/b" }] },
    conditions: [is("example.com/a"), is("example.com/b", "False")],
  },
  { spec: { readinessGates: [{ conditionType: "example.com/never" }] } },
  {
    phase: "Running",
    containers: [ready],
    status: { podIP: "10.1.2.3", podIPs: [{ ip: "10.1.2.3" }, { ip: "fd00::3" }] },
  },
  { phase: "Running", containers: [ready], status: { podIP: "fd00::4", podIPs: [{ ip: "fd00::4" }] } },
  { phase: "Running", containers: [ready], spec: { nodeName: "one" }, isDeleted: true },
  { phase: "Running", reason: "NodeLost", containers: [ready], spec: { nodeName: "one" }, isDeleted: true },
  { phase: "Running", reason: "NodeLost", containers: [ready] },
  { phase: "Succeeded", containers: [completed], isDeleted: true },
  { phase: "Failed", containers: [completed, failed], isDeleted: true },
  { phase: "Pending", initial: [waiting("PodInitializing")], isDeleted: true },
  { phase: "Running", containers: [completed, failed], isDeleted: true },
];

export interface PodShape {
  readonly metadata: { readonly name: string };
  readonly spec: Shape;
  readonly status: Shape;
  readonly isDeleted: boolean;
}

export const podShapes: readonly PodShape[] = given.map((pod, index) => {
  const { containers = [], initial = [], sidecars = [], unreported = 0, isDeleted = false } = pod;
  const named = Array.from({ length: Math.max(containers.length + unreported, 1) }, (_, at) => ({
    name: `main-${at}`,
  }));
  const initContainers = initial.map((_, at) => ({
    name: `init-${at}`,
    image: "init:1",
    ...(sidecars.includes(at) && { restartPolicy: "Always" }),
  }));
  const spec = {
    schedulerName: "none",
    containers: named.map((one) => ({ ...one, image: "main:1" })),
    ...(initContainers.length > 0 && { initContainers }),
  };
  return {
    metadata: { name: `pod-${index}` },
    spec: merge(spec, pod.spec ?? {}),
    status: {
      ...(pod.phase !== undefined && { phase: pod.phase }),
      ...(pod.reason !== undefined && { reason: pod.reason }),
      ...(pod.conditions && { conditions: pod.conditions }),
      ...(containers.length > 0 && { containerStatuses: containers.map((one, at) => report(`main-${at}`, one)) }),
      ...(initial.length > 0 && { initContainerStatuses: initial.map((one, at) => report(`init-${at}`, one)) }),
      ...pod.status,
    },
    isDeleted,
  };
});

function report(name: string, container: Shape): Shape {
  return { name, image: "x:1", imageID: "", ready: false, restartCount: 0, state: {}, lastState: {}, ...container };
}
