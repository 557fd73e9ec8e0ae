/** The message to the generator process, so it is plain data. */
export interface LoadPlan {
  port: number
  /** Sent in turn, again and again. */
  requests: PlannedRequest[]
  connections: number
  warmUpMilliseconds: number
  durationMilliseconds: number
  /** A constant rate. Without it, every connection sends its next request after each answer. */
  requestsPerSecond?: number
  /** The pause of a connection after an unexpected answer, at most twice as long. */
  restAfterRefusalMilliseconds?: number
  /** The process whose CPU time is measured. */
  serverProcessId?: number
}

export interface PlannedRequest {
  /** The whole HTTP/1.1 request. */
  bytes: string
  expectedStatus: number
  /** A text that the expected answer contains. */
  expectedText: string
}

export interface LoadResult {
  /** The number of expected answers within the measured time. */
  answers: number
  answersPerSecond: number
  /** The number of all requests, also of those before the measured time and without an answer. */
  sent: number
  /** Numbers of other results: statuses, wrong contents, broken connections. */
  others: Record<string, number>
  /** From the due time of a request to the last byte of its expected answer. */
  latencyMilliseconds: { p50: number; p99: number; maximum: number }
  /** CPU time of all server threads per answer of any kind, or 0 without /proc. */
  serverCpuMicrosecondsPerAnswer: number
  /** CPU cores of the generator. Near 1, the generator limits the rate, not the server. */
  generatorCores: number
}
