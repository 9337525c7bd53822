/** Tunnels through a proxy, which sees the host and the port of the API and nothing else. */
import * as http from 'node:http';
import * as https from 'node:https';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';

interface Target {
  host: string;
  port: string | number;
}

type Connected = (error: Error | null, socket?: Duplex) => void;

/** Lets an agent connect through a proxy. */
export function connectThrough(address: string, agent: http.Agent): void {
  const proxy = new URL(address);
  const isSecure = agent instanceof https.Agent;
  const createConnection = (target: Target, connected: Connected) => {
    const tunnel = openTunnel(proxy, target);
    tunnel.on('error', connected);
    tunnel.on('connect', ({ statusCode }, socket) => {
      if (statusCode !== 200) {
        socket.destroy();
        connected(new Error(`the proxy ${proxy.host} answered ${statusCode}`));
      } else if (isSecure) {
        const secure = connect({ ...target, socket, port: Number(target.port) }, () => connected(null, secure));
        secure.on('error', connected);
      } else connected(null, socket);
    });
    tunnel.end();
  };
  Object.assign(agent, { createConnection });
}

function openTunnel(proxy: URL, { host, port }: Target): http.ClientRequest {
  const { request } = proxy.protocol === 'https:' ? https : http;
  const user = [proxy.username, proxy.password].map(decodeURIComponent).join(':');
  const authorization = user === ':' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}` };
  const path = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const { hostname, port: proxyPort } = proxy;
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: proxyPort || undefined };
  return request({ ...address, method: 'CONNECT', path, headers: { host: path, ...authorization }, agent: false });
}
