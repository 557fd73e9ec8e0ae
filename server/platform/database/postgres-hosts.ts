import type pg from 'pg'
import { listHostUrls } from '../config/postgres-url.ts'
import { HostClient } from './postgres-host-client.ts'
import { DatabaseUnavailable, ReadOnlyServer } from './unavailable.ts'

/** The limit for opening a connection to one host while another host may be the primary. */
export const CONNECT_MILLISECONDS = 500
export const WATCH_MILLISECONDS = 2_000
/** A failed search answers all requests of this time, because a sign-in at a standby costs processor time. */
const SEARCH_PAUSE_MILLISECONDS = 200

interface Primary {
  url: string
  timeline: number
}

/** All pools share this object, and never return to a former primary (docs/decisions/28-several-hosts.md). */
export class PostgresHosts {
  /** The URL of the host that last accepted changes. */
  currentUrl: string
  /** When a statement last got no answer. Connections without a result since then may be dead. */
  silentAt = Number.NEGATIVE_INFINITY
  /** Before the first search, the first host may be a former primary. */
  private isKnown = false
  /** The highest timeline so far; 0 for engines without timelines. */
  private timeline = 0
  private urls: string[]
  private allowsStandby: boolean
  private search: Promise<void> | undefined

  /** @param allowsStandby whether a standby may be used too, which can show sessions that are revoked */
  constructor(url: string, allowsStandby = false) {
    this.urls = listHostUrls(url)
    this.currentUrl = this.urls[0] ?? url
    this.allowsStandby = allowsStandby
  }

  get areSeveral(): boolean {
    return this.urls.length > 1
  }

  /** The client class of a pool. A pool creates its clients, so each chooses its host in its constructor. */
  createClientClass() {
    const hosts = this
    return class extends HostClient {
      constructor(options: pg.ClientConfig = {}) {
        super(
          hosts.currentUrl,
          hosts.areSeveral ? { ...options, connectionTimeoutMillis: CONNECT_MILLISECONDS } : options,
        )
      }
    }
  }

  get isSearchNeeded(): boolean {
    return this.areSeveral && !this.isKnown
  }

  /** @throws DatabaseUnavailable for a standby, and for a former primary */
  async assertPrimary(client: HostClient): Promise<void> {
    await this.assertWritable(client)
    if (this.areSeveral) this.assertNotFormer(client, await client.readTimeline())
  }

  /** @throws ReadOnlyServer for a pooler that sends reads to a standby */
  async assertPoolerOfPrimary(client: HostClient): Promise<void> {
    if (!this.allowsStandby && (await client.isServerOfReadsReadOnly()))
      throw new ReadOnlyServer(`${client.hostAndPort} leads to a standby, or to a read-only server`)
  }

  /** A former primary that still runs may answer as if nothing had happened. @returns ends the watch */
  watch(): () => void {
    if (!this.areSeveral) return () => {}
    const timer = setInterval(() => this.askEach(), WATCH_MILLISECONDS).unref()
    return () => clearInterval(timer)
  }

  /** Concurrent, so that a host that hangs delays no other. @throws DatabaseUnavailable when no host accepts changes */
  searchPrimary(): Promise<void> {
    if (!this.search) {
      this.search = this.askAll()
      const forget = () => {
        this.search = undefined
      }
      this.search.then(forget, () => setTimeout(forget, SEARCH_PAUSE_MILLISECONDS).unref())
    }
    return this.search
  }

  private async askAll(): Promise<void> {
    try {
      const answers = this.askEach()
      // The first answer may be that of a former primary, which no later timeline shows yet.
      if (!this.isKnown) await Promise.allSettled(answers)
      const { url, timeline } = await Promise.any(answers)
      if (timeline === this.timeline) this.currentUrl = url
      this.isKnown = true
    } catch (error) {
      const reasons = (error as AggregateError).errors.map(({ message }) => message)
      throw new DatabaseUnavailable(`No host of DATABASE_URL accepts changes (${reasons.join('; ')})`)
    }
  }

  private askEach(): Promise<Primary>[] {
    const answers = this.urls.map((url) => this.ask(url))
    for (const answer of answers) {
      answer.then(
        (primary) => this.followIfNewer(primary),
        () => {},
      )
    }
    return answers
  }

  private followIfNewer({ url, timeline }: Primary): void {
    if (timeline <= this.timeline) return
    this.timeline = timeline
    this.currentUrl = url
  }

  private assertNotFormer({ hostAndPort }: HostClient, timeline: number): void {
    if (timeline < this.timeline)
      throw new DatabaseUnavailable(
        `${hostAndPort} is a former primary, with timeline ${timeline} after ${this.timeline}`,
      )
  }

  private async assertWritable(client: HostClient): Promise<void> {
    if (!this.allowsStandby && (await client.isReadOnly()))
      throw new ReadOnlyServer(`${client.hostAndPort} is read-only`)
  }

  private async ask(url: string): Promise<Primary> {
    const client = new HostClient(url, { connectionTimeoutMillis: CONNECT_MILLISECONDS })
    // Without a listener, the error of a broken connection ends the process.
    client.on('error', () => {})
    try {
      await client.connect()
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException
      throw new Error(`${client.hostAndPort}: ${message || code}`)
    }
    try {
      await this.assertWritable(client)
      const timeline = await client.readTimeline()
      this.assertNotFormer(client, timeline)
      return { url, timeline }
    } finally {
      client.end().catch(() => {})
    }
  }
}
