export { roleExists } from './store.ts'
