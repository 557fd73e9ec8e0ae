/**
 * Without a handler, SIGHUP ends the process in the middle of requests. A closed terminal sends it, and programs that
 * rotate logs.
 */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
