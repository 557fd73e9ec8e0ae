import { useQuery } from '@tanstack/react-query'
import { Redirect } from 'wouter'
import { settingsQuery } from '../shared/api/queries.ts'
import { Shell } from '../shared/components/Shell.tsx'

/** Before setup there is no account to show, so the page says how to create the first one. */
export function Home() {
  const { data: settings, isPending } = useQuery(settingsQuery)
  if (isPending) return <Shell />
  return <Redirect to={settings?.isSetUp === false ? '/setup' : '/account'} replace />
}
