import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

/** Longer than every address with brackets, zone and port. */
const TEXT_LENGTH_MAXIMUM = 100

/** The networks that limits count: an IPv4 address, or the /64 of an IPv6 address and the /48 around it. */
export interface ClientNetworks {
  network: string
  /** One customer often has a whole /48, with 65,536 networks to choose from. IPv6 only. */
  site?: string
}

/**
 * The client's address in its one canonical form: that of the trusted proxy's header, else that of the socket. Text that
 * is no address counts as absent, or every made-up text would be a client of its own.
 */
export function clientAddress({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string | null {
  return parseAddress(ip) ?? parseAddress(socket.remoteAddress ?? '') ?? null
}

/** @returns the address in canonical form, or undefined. Proxies add ports and brackets; sockets add zones and map IPv4. */
export function parseAddress(text: string): string | undefined {
  if (text.length > TEXT_LENGTH_MAXIMUM) return undefined
  const host = /^\s*\[([^\]]*)\](?::\d+)?\s*$/.exec(text)?.[1] ?? text.trim().replace(/^([\d.]+):\d+$/, '$1')
  const address = host.replace(/%.*$/s, '')
  // The short, octal and hexadecimal forms of IPv4 are refused: every address would have many spellings.
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address).toString()
  if (!ipaddr.IPv6.isValid(address)) return undefined
  const parsed = ipaddr.IPv6.parse(address)
  return (parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed).toString()
}

/** @param address as `clientAddress` returned it; clients without one (a Unix socket) share a network */
export function networksOf(address: string | null): ClientNetworks {
  if (address === null) return { network: 'unknown' }
  if (!ipaddr.IPv6.isValid(address)) return { network: address }
  const groups = ipaddr.IPv6.parse(address).parts.map((part) => part.toString(16))
  return { network: `${groups.slice(0, 4).join(':')}::/64`, site: `${groups.slice(0, 3).join(':')}::/48` }
}
