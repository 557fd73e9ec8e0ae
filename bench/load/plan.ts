/** What the generator process is told; it is sent as a message, so it is plain data. */
export interface LoadPlan {
  port: number
  /** Sent in turn, from the first again after the last. */
  requests: PlannedRequest[]
  connections: number
  warmUpMilliseconds: number
  durationMilliseconds: number
  /** So many at even distances. Absent: every connection asks again as soon as it is answered. */
  requestsPerSecond?: number
  /** How long a connection rests, up to twice that, after an answer that was not the expected one. */
  restAfterRefusalMilliseconds?: number
  /** Whose CPU time is counted. */
  serverProcessId?: number
}

export interface PlannedRequest {
  /** The whole HTTP/1.1 request. */
  bytes: string
  expectedStatus: number
  /** The answer has this text in it, or it is not the right one. */
  expectedText: string
}

export interface LoadResult {
  /** Expected answers within the measured time; only these count as a rate. */
  answers: number
  answersPerSecond: number
  /** What else came, by what it was: a status, a wrong content, a broken connection. */
  others: Record<string, number>
  /** From the moment a request was due to the last byte of its expected answer. */
  latencyMilliseconds: { p50: number; p99: number; maximum: number }
  /** Of all the server's threads, for each answer of whatever kind; 0 where /proc does not tell. */
  serverCpuMicrosecondsPerAnswer: number
  /** 1 is one core at work all the time: near it, the generator and not the server sets the rate. */
  generatorCores: number
}
