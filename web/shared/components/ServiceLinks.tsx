import { useQuery } from '@tanstack/react-query'
import { settingsQuery } from '../api/queries.ts'

/** Where users get help and read the privacy notice, if the operator has set it. */
export function ServiceLinks() {
  const { data: settings } = useQuery(settingsQuery)
  const { supportUrl = null, privacyUrl = null } = settings ?? {}
  if (supportUrl === null && privacyUrl === null) return null
  return (
    <p className="service-links">
      {supportUrl !== null && <a href={supportUrl}>Help</a>}
      {privacyUrl !== null && <a href={privacyUrl}>Privacy</a>}
    </p>
  )
}
