import { useQuery } from '@tanstack/react-query'
import { settingsQuery } from '../api/queries.ts'

/** Where users get help and read the privacy notice, if the operator has set it. */
export function ServiceLinks() {
  const { data: settings } = useQuery(settingsQuery)
  if (!settings?.supportUrl && !settings?.privacyUrl) return null
  return (
    <p className="service-links">
      {settings.supportUrl && <a href={settings.supportUrl}>Help</a>}
      {settings.privacyUrl && <a href={settings.privacyUrl}>Privacy</a>}
    </p>
  )
}
