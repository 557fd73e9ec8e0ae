import type { Socket } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Longer than every address with brackets, zone and port. */
const TEXT_LENGTH_MAXIMUM = 100

/** An IPv4 address, or the /64 and the /48 of an IPv6 address. */
export interface ClientNetworks {
  network: string
  /** The /48: one customer often has all of its 65,536 networks. IPv6 only. */
  site?: string
}

/** A client that disconnects immediately has no `ip`. */
interface Addressed {
  ip: string | undefined
  socket: Pick<Socket, 'remoteAddress'>
}

/** Invalid text counts as absent, because a client could otherwise invent a new identity with each text. */
export function clientAddress({ ip = '', socket }: Addressed): string | null {
  return parseAddress(ip) ?? parseAddress(socket.remoteAddress ?? '') ?? null
}

/** @returns the canonical form, or undefined. Proxies add ports and brackets; sockets add zones and map IPv4. */
export function parseAddress(text: string): string | undefined {
  if (text.length > TEXT_LENGTH_MAXIMUM) return undefined
  const host = /^\s*\[([^\]]*)\](?::\d+)?\s*$/.exec(text)?.[1] ?? text.trim().replace(/^([\d.]+):\d+$/, '$1')
  const address = host.replace(/%.*$/s, '')
  // The short, octal and hexadecimal forms of IPv4 are refused, so that an address has one form.
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address).toString()
  if (!ipaddr.IPv6.isValid(address)) return undefined
  const parsed = ipaddr.IPv6.parse(address)
  return (parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed).toString()
}

/** Clients without an address (a Unix socket) share a network. */
export function networksOf(address: string | null): ClientNetworks {
  if (address === null) return { network: 'unknown' }
  if (!ipaddr.IPv6.isValid(address)) return { network: address }
  const groups = ipaddr.IPv6.parse(address).parts.map((part) => part.toString(16))
  return { network: `${groups.slice(0, 4).join(':')}::/64`, site: `${groups.slice(0, 3).join(':')}::/48` }
}
