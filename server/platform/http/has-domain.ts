import { readFileSync } from 'node:fs'
import { domainToASCII } from 'node:url'

const TOP_LEVEL_DOMAINS = new Set(
  readFileSync(new URL('top-level-domains.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#')),
)

/** Domains may have symbols, as in `i❤.ws`. */
const IN_DOMAIN = '\\p{L}\\p{M}\\p{N}\\p{S}_-'
/** A word directly after a full stop, as in `example.com`, `b.example.co.uk/x` and `злой.рф`. */
const LABEL = new RegExp(`(?<=[${IN_DOMAIN}])\\.([\\p{L}\\p{M}]{2,})(?![\\p{L}\\p{M}0-9])`, 'gu')
/** Mail programs end an ASCII domain before every other character, as in `evil.com²`, `evil.comé` and `evil.com한`. */
const ASCII_LABEL = new RegExp(
  `(?<=[${IN_DOMAIN}])\\.([Xx][Nn]--[A-Za-z0-9-]*[A-Za-z0-9]|[A-Za-z]{2,})(?![A-Za-z0-9])`,
  'gu',
)
/** The full stop after an initial, as in `J.Muñoz`: `mu` would refuse this name. Few domains have one letter. */
const AFTER_INITIAL = new RegExp(
  `(?<=(?<![@${IN_DOMAIN}])\\p{L})\\.(?=[A-Za-z]+(?![A-Za-z0-9])[\\p{Script=Latin}\\p{M}])`,
  'gu',
)

const IP_ADDRESS = /(?<!\d)\d{1,3}(?:\.\d{1,3}){3}(?!\d)/

/** Whether a text contains a domain or an IP address, as mail programs detect it. */
export function hasDomain(text: string): boolean {
  if (IP_ADDRESS.test(text)) return true
  const spaced = text.replace(AFTER_INITIAL, '. ')
  const matches = [...spaced.matchAll(LABEL), ...spaced.matchAll(ASCII_LABEL)]
  return matches.some(([, label = '']) => isTopLevelDomain(label))
}

/** Marks after a domain are no part of it, but some top-level domains end with a mark, such as `ලංකා`. */
function isTopLevelDomain(label: string): boolean {
  if (TOP_LEVEL_DOMAINS.has(domainToASCII(label))) return true
  return /\p{M}$/u.test(label) && isTopLevelDomain(label.replace(/\p{M}$/u, ''))
}
