import { type Color, contrastOf, isColor, TEXT_CONTRAST } from '../brand/colors.ts'
import type { EnvironmentReader } from './environment-reader.ts'
import { isDecodable } from './is-decodable.ts'
import { type ImageFile, readImage } from './read-image.ts'
import { withoutPassword } from './without-password.ts'

export interface Brand {
  name: string
  /** Undefined without BRAND_MARK: the pages then show our own mark. */
  mark: ImageFile | undefined
  accent: Color
  supportUrl: string | undefined
  privacyUrl: string | undefined
}

export const DEFAULT_BRAND_NAME = 'Accounts'
export const DEFAULT_ACCENT: Color = '#0f5c4d'
const NAME = /^(?=.*[\p{L}\p{N}])[^\p{Cc}\p{Cf}"\\<>]{1,60}$/u
const MARK_BYTES_MAXIMUM = 64 * 1024

export function readBrand(read: EnvironmentReader): Brand {
  return {
    name: readName(read),
    mark: readMark(read),
    accent: readAccent(read),
    supportUrl: readSupportUrl(read),
    privacyUrl: read.url('PRIVACY_URL', ['https:', 'http:']),
  }
}

/** The name is also the sender of emails: quotes and angle brackets could change the address. */
function readName({ environment, problems }: EnvironmentReader): string {
  const name = environment.BRAND_NAME?.trim()
  if (!name) return DEFAULT_BRAND_NAME
  if (NAME.test(name)) return name
  problems.push('BRAND_NAME must be at most 60 characters with a letter or a digit, and without quotes, \\, < and >.')
  return DEFAULT_BRAND_NAME
}

/** Emails show the decoded address of a mailto: URL. */
function readSupportUrl(read: EnvironmentReader): string | undefined {
  const text = read.url('SUPPORT_URL', ['https:', 'http:', 'mailto:'])
  if (text === undefined) return undefined
  const { protocol, pathname } = new URL(text)
  if (protocol === 'mailto:' && !isDecodable(pathname))
    read.problems.push('SUPPORT_URL has a % that is no encoded character: write it as %25.')
  return text
}

function readMark({ environment, problems }: EnvironmentReader): ImageFile | undefined {
  const path = environment.BRAND_MARK
  return path ? readImage('BRAND_MARK', path, MARK_BYTES_MAXIMUM, problems) : undefined
}

function readAccent({ environment, problems }: EnvironmentReader): Color {
  const accent = environment.BRAND_ACCENT?.toLowerCase()
  if (accent === undefined) return DEFAULT_ACCENT
  if (accent === '') {
    problems.push(
      `BRAND_ACCENT is empty: write a color in quotes, such as "${DEFAULT_ACCENT}", because # begins a comment in .env; or remove it.`,
    )
    return DEFAULT_ACCENT
  }
  if (!isColor(accent)) {
    problems.push(`BRAND_ACCENT is "${withoutPassword(accent)}": write a color such as ${DEFAULT_ACCENT}.`)
    return DEFAULT_ACCENT
  }
  const contrast = contrastOf(accent, '#ffffff')
  if (contrast < TEXT_CONTRAST)
    problems.push(
      `BRAND_ACCENT is ${accent}, which is hard to read on white: its contrast is ${contrast.toFixed(1)}. Choose a darker color, with at least ${TEXT_CONTRAST}.`,
    )
  return accent
}
