/** Plain numbers since the start, read when somebody asks for metrics. */
export interface ObserveCounters {
  listed: number;
  applied: number;
  deleted: number;
  lists: number;
}

export function createObserveCounters(): ObserveCounters {
  return { listed: 0, applied: 0, deleted: 0, lists: 0 };
}
