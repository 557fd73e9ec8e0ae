import { useServices } from '../api/use-services.ts'
import { Monogram } from './Monogram.tsx'

/** So that a new user knows where to go next. */
export function ServiceTiles() {
  const services = useServices()
  if (services.length === 0) return null
  return (
    <ul className="tiles" aria-label="Services">
      {services.map(({ name, origin, icon }) => (
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
