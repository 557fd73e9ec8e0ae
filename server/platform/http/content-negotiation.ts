/** RFC 9110, section 12.4.2. A name without a quality has 1. */
function parseQualities(header: string): Map<string, number> {
  const qualities = new Map<string, number>()
  for (const item of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length)
    qualities.set(name, quality === undefined ? 1 : Number(quality) || 0)
  }
  return qualities
}

export function prefersHtml(accept: string): boolean {
  const qualities = parseQualities(accept)
  const qualityOf = (type: string): number =>
    qualities.get(type) ?? qualities.get(type.replace(/\/.*/, '/*')) ?? qualities.get('*/*') ?? 0
  return qualityOf('text/html') > qualityOf('application/json')
}

export function chooseEncoding<T extends string>(acceptEncoding: string, offered: readonly T[]): T | undefined {
  const qualities = parseQualities(acceptEncoding)
  return offered.find((name) => (qualities.get(name) ?? 0) > 0)
}
