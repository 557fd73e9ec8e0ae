import { useQuery } from '@tanstack/react-query'
import { settingsQuery } from '../api/queries.ts'
import { Monogram } from './Monogram.tsx'

/** The services in SERVICES, so that a new user knows where to go next. */
export function ServiceTiles() {
  const { data: settings } = useQuery(settingsQuery)
  if (!settings || settings.services.length === 0) return null
  return (
    <ul className="tiles" aria-label="Services">
      {settings.services.map(({ name, origin, icon }) => (
        <li key={origin}>
          <a className="tile" href={origin}>
            <Monogram name={name} image={icon} />
            <span>
              {name}
              <span className="soft">{new URL(origin).host}</span>
            </span>
          </a>
        </li>
      ))}
    </ul>
  )
}
