import { Link, useSearchParams } from 'wouter'

type TabsProps<Key extends string> = { label: string; tabs: Record<Key, string>; current: Key }

/** Views of one page. Each tab is a link, because the address says which view is open. */
export function Tabs<Key extends string>({ label, tabs, current }: TabsProps<Key>) {
  return (
    <nav className="tabs" aria-label={label}>
      {Object.entries<string>(tabs).map(([key, name]) => (
        <Link key={key} href={`?tab=${key}`} aria-current={key === current ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  )
}

/** The tab in the address, or the first one. */
export function useTab<Key extends string>(tabs: Record<Key, string>): Key {
  const [parameters] = useSearchParams()
  const keys = Object.keys(tabs) as Key[]
  return keys.find((key) => key === parameters.get('tab')) ?? keys[0]!
}
