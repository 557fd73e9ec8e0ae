const NUMBER = new Intl.NumberFormat('en')
const PERCENT = new Intl.NumberFormat('en', { style: 'percent' })

/** The pages are in English, and so are their digits and separators. */
export function number(value: number): string {
  return NUMBER.format(value)
}

/** 0.34 as "34%". */
export function percent(share: number): string {
  return PERCENT.format(share)
}

/** "1 ban", "2,000 bans". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`
}
