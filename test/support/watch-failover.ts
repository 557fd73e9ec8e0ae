import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { AnswerLimit } from './answer-limit.ts'
import { type Answer, type Client, createClient } from './client.ts'

const PAUSE_MILLISECONDS = 50

export interface Watched {
  email: string
  password: string
  /** The token of a live session. */
  token: string
  revokedToken: string
}

/** One round of requests to one process. */
type Round = Promise<{ path: string; status: number }[]>

/** Sends requests of every kind to all processes, again and again, also during a failover. */
export class FailoverWatch {
  private baseUrls: string[]
  private watched: Watched
  private limit: AnswerLimit
  private isOver = false
  private rounds: Promise<void> | undefined

  constructor(baseUrls: string[], watched: Watched, limit: AnswerLimit) {
    this.baseUrls = baseUrls
    this.watched = watched
    this.limit = limit
  }

  start(): void {
    this.rounds = this.watch()
  }

  /** @throws the error of the first answer that was wrong */
  async stop(): Promise<void> {
    this.isOver = true
    await this.rounds
  }

  /** Whether every process answers every request with 200. */
  async isHealthy(): Promise<boolean> {
    const rounds = await Promise.all(this.baseUrls.map((baseUrl) => this.round(baseUrl)))
    return rounds.flat().every(({ status }) => status === 200)
  }

  private async watch(): Promise<void> {
    while (!this.isOver) {
      const rounds = this.baseUrls.map((baseUrl) => this.round(baseUrl))
      for (const { path, status } of (await Promise.all(rounds)).flat())
        assert.ok(status === 200 || status === 503, `${path} returned ${status}`)
      await pause(PAUSE_MILLISECONDS)
    }
  }

  private async round(baseUrl: string): Round {
    const client = createClient(baseUrl)
    const { email, password, token } = this.watched
    const bearer = { headers: { authorization: `Bearer ${token}` } }
    const inTime = async (path: string, request: () => Promise<Answer>) => {
      const { status } = await this.limit.inTime(path, request)
      return { path, status }
    }
    const get = (path: string) => inTime(path, () => client.get(path, bearer))
    const post = (path: string, body: object) => inTime(path, () => client.post(path, body, bearer))
    const requests = [
      get('/api/auth/get-session'),
      get('/api/auth/list-sessions'),
      get('/readyz'),
      post('/api/auth/update-user', { name: 'Wanda Watched' }),
      inTime('sign-in', () => createClient(baseUrl).post('/api/auth/sign-in/email', { email, password })),
    ]
    const [answers] = await Promise.all([Promise.all(requests), this.assertRevoked(client)])
    return answers
  }

  /** A revoked session must stay revoked in every state of the database. */
  private async assertRevoked(client: Client): Promise<void> {
    const bearer = { headers: { authorization: `Bearer ${this.watched.revokedToken}` } }
    const session = await client.get('/api/auth/get-session', bearer)
    assert.ok(session.status === 503 || session.body === null, `a revoked session got ${session.status}`)
    const { status } = await client.get('/api/auth/list-sessions', bearer)
    assert.ok(status === 503 || status === 401, `a revoked session got ${status}`)
  }
}
