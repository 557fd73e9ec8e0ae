/** SIGHUP comes from a terminal that is closed, and from programs that rotate logs. */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
