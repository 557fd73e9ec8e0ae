import type { Config } from '../config/config.ts'
import { addressForEmail } from '../http/names.ts'
import type { Email } from './email.ts'

export interface FooterLine {
  text: string
  link?: { label: string; url: string }
}

export function footerOf({ recipient, reason }: Email, { brand }: Pick<Config, 'brand'>): FooterLine[] {
  const address = addressForEmail(recipient)
  const to = address ? ` to ${address}` : ''
  const why = `${brand.name} sent this email${to}, because ${reason ?? 'your account uses this address'}.`
  return [{ text: why }, helpLine(brand.supportUrl), ...privacyLines(brand.privacyUrl)]
}

function helpLine(supportUrl: string | undefined): FooterLine {
  if (supportUrl === undefined) return { text: 'Questions? Ask your administrator.' }
  return { text: 'Questions?', link: { label: labelOf(supportUrl), url: supportUrl } }
}

function privacyLines(privacyUrl: string | undefined): FooterLine[] {
  return privacyUrl === undefined ? [] : [{ text: 'Privacy:', link: { label: privacyUrl, url: privacyUrl } }]
}

/** `help@example.com` for `mailto:help@example.com?subject=Accounts`. */
function labelOf(url: string): string {
  const { protocol, pathname } = new URL(url)
  return protocol === 'mailto:' ? decodeURIComponent(pathname) : url
}
