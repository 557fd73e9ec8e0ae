/** A closed terminal sends SIGHUP. Without a handler, it ends the process in the middle of requests. */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
