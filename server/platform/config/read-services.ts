import type { EnvironmentReader } from './environment-reader.ts'
import { readImage } from './read-image.ts'

export interface Service {
  name: string
  origin: string
  /** A data: URL, because our pages load nothing from other sites. */
  icon: string | null
}

const FORM =
  'write [{"name": "Payroll", "origin": "https://payroll.example.com", "icon": "./payroll.svg"}]; icon is optional'
const ICON_BYTES_MAXIMUM = 16 * 1024

export function readServices(read: EnvironmentReader, baseUrl: string): Service[] {
  const text = read.environment.SERVICES
  if (!text) return []
  const list = parseList(text)
  if (list?.every(isService)) return list.flatMap((service) => readService(read, baseUrl, service))
  read.problems.push(`SERVICES is no list of services: ${FORM}.`)
  return []
}

interface ServiceSetting {
  name: string
  origin: string
  icon?: string
}

function readService(read: EnvironmentReader, baseUrl: string, { name, origin, icon }: ServiceSetting): Service[] {
  return read
    .allowedOrigins('SERVICES', [origin], baseUrl)
    .map((allowed) => ({ name, origin: allowed, icon: icon === undefined ? null : readIcon(read, icon) }))
}

function readIcon({ problems }: EnvironmentReader, icon: string): string | null {
  if (/^data:image\/[a-z+.-]+[;,]/.test(icon)) {
    // Every page loads the icons, so the limit is that of files, which become base64 too.
    if (Buffer.byteLength(icon.slice(icon.indexOf(',') + 1), 'base64') > ICON_BYTES_MAXIMUM)
      problems.push(
        `SERVICES has a data: icon of more than ${ICON_BYTES_MAXIMUM / 1024} KiB: choose a smaller picture.`,
      )
    return icon
  }
  const image = readImage('SERVICES', icon, ICON_BYTES_MAXIMUM, problems)
  return image ? `data:${image.contentType};base64,${image.content.toString('base64')}` : null
}

function parseList(text: string): unknown[] | undefined {
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list : undefined
  } catch {
    return undefined
  }
}

function isService(value: unknown): value is ServiceSetting {
  if (typeof value !== 'object' || value === null) return false
  const { name, origin, icon, ...others } = value as Record<string, unknown>
  const isNamed = typeof name === 'string' && name.trim() !== '' && name.length <= 60
  return isNamed && typeof origin === 'string' && ['string', 'undefined'].includes(typeof icon) && isEmpty(others)
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0
}
