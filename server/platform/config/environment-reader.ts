import { withoutPassword } from './without-password.ts'

export type Environment = Record<string, string | undefined>

/** A wrong value becomes a problem, and the fallback takes its place. */
export class EnvironmentReader {
  environment: Environment
  problems: string[]

  constructor(environment: Environment, problems: string[]) {
    this.environment = environment
    this.problems = problems
  }

  integer<T extends number | undefined>(name: string, fallback: T, minimum: number, maximum: number): number | T {
    const text = this.environment[name]
    if (!text) return fallback
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= minimum && value <= maximum) return value
    this.problems.push(`${name} is "${withoutPassword(text)}": set it to a whole number from ${minimum} to ${maximum}.`)
    return fallback
  }

  choice<const T extends string>(name: string, allowed: [T, ...T[]]): T {
    const text = this.environment[name]
    if (!text) return allowed[0]
    const found = allowed.find((value) => value === text)
    if (found === undefined)
      this.problems.push(`${name} is "${withoutPassword(text)}": set it to one of ${allowed.join(', ')}.`)
    return found ?? allowed[0]
  }

  url(name: string, schemes: string[], hint = ''): string | undefined {
    const text = this.environment[name]
    if (!text) return undefined
    if (URL.canParse(text) && schemes.includes(new URL(text).protocol)) return text
    // The message leaves the value out, which may contain a password.
    this.problems.push(`${name} is not an address that starts with ${schemes.join(' or ')}.${hint}`)
    return undefined
  }

  /** Refuses URLs, because the error of a start that fails would show their passwords. */
  host(name: string, fallback: string): string {
    const text = this.environment[name]
    if (!text) return fallback
    if (!/[/@]/.test(text)) return text
    this.problems.push(`${name} is "${withoutPassword(text)}": write a host name or an address, such as 127.0.0.1.`)
    return fallback
  }

  origin(name: string, fallback: string): string {
    return this.environment[name] ? (this.toOrigin(name, this.environment[name]) ?? fallback) : fallback
  }

  origins(name: string, baseUrl: string): string[] {
    const texts = (this.environment[name] ?? '').split(',').map((text) => text.trim())
    return this.allowedOrigins(name, texts.filter(Boolean), baseUrl)
  }

  /** With an https BASE_URL, http origins are refused: an attacker on the network can forge their pages. */
  allowedOrigins(name: string, texts: string[], baseUrl: string): string[] {
    const origins = texts.flatMap((text) => this.toOrigin(name, text) ?? [])
    if (!baseUrl.startsWith('https:')) return origins
    for (const origin of origins.filter((text) => text.startsWith('http:'))) {
      this.problems.push(
        `${name} has ${origin}: beside an https BASE_URL it must be https, or its pages can be forged on the network.`,
      )
    }
    return origins
  }

  private toOrigin(name: string, text: string): string | undefined {
    const url = URL.canParse(text) ? new URL(text) : undefined
    // Host names have no upper case, and browsers send them in lower case.
    const isSame = text.toLowerCase().replace(/\/$/, '') === url?.origin
    const isOrigin = url && /^https?:$/.test(url.protocol) && isSame
    // No browser sends an origin with a wildcard, so it would have no effect.
    if (isOrigin && !url.host.includes('*')) return url.origin
    this.problems.push(
      `${name} has "${withoutPassword(text)}": write an origin such as https://accounts.example.com, without a path.`,
    )
    return undefined
  }
}
