import type { Client } from '../../test/support/client.ts'
import type { Scene } from './scene.ts'

/** The content of one measured request. */
export interface Sent {
  /** The browser that sends the request, with its cookies and its address. */
  client: Client
  /** Replaces the parameters of the path. */
  parameters?: Record<string, string>
  query?: Record<string, string>
  body?: object
  form?: Record<string, string>
  headers?: Record<string, string>
}

/** Prepares one request. The preparation is not measured. */
export type Call = (scene: Scene) => Promise<Sent> | Sent

/** By `METHOD /path`. A route with several questions has each of them in parentheses. */
export type Calls = Record<`${'GET' | 'POST'} /${string}`, Call>

export function routeOf(name: string): string {
  return name.replace(/ \(.*\)$/, '')
}
