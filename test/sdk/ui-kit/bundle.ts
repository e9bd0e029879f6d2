import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { servePage } from '../../harness/browser.ts'

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/** Bundles the published kit as an app would and serves it on an origin of its own; answers its address. */
export async function serveUiKit(): Promise<{ url: string; close(): Promise<void> }> {
  const { outputFiles } = await build({
    entryPoints: [here('page.js')],
    bundle: true,
    write: false,
    outdir: '/',
    format: 'esm',
    define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
    loader: { '.svg': 'dataurl', '.png': 'dataurl', '.woff': 'dataurl', '.woff2': 'dataurl' },
    alias: {
      '@amityco/ts-sdk': here('client.js'),
      'react-native': here('react-native.js'),
      '@react-native-async-storage/async-storage': here('react-native.js'),
      '@react-native-community/netinfo': here('react-native.js'),
    },
    logLevel: 'error',
  })
  const script = outputFiles.find(({ path }) => path.endsWith('.js'))!
  const style = outputFiles.find(({ path }) => path.endsWith('.css'))!
  const page = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><style>${style.text}</style>
<div id="app" style="position:absolute;inset:0"></div><script type="module" src="/script.js"></script>`
  return servePage(page, Buffer.from(script.contents))
}
